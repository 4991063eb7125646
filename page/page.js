"use strict";
(() => {
  const theory = JSON.parse(document.getElementById("theory").textContent);
  const at = id => document.getElementById(id);
  const sliders = ["users", "window", "rate", "shown"];
  const space = "\u00a0"; // a number and its unit stay together

  // Numbers for people, to three digits. A tie goes up, whatever binary fractions make of it.
  const three = v => String(Number((v * (1 + 1e-12)).toPrecision(3)));
  const percent = v => v === 0 ? "0" : v < 1e-9 ? "≈" + space + "0" : three(100 * v) + space + "%";
  const bytes = v => {
    for (const [unit, size] of [["PB", 1e15], ["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["kB", 1e3]]) {
      if (v >= 0.9995 * size) return three(v / size) + space + unit;
    }
    return v + space + "B";
  };
  const people = n => n >= 1e9 ? n / 1e9 + space + "billion" : n >= 1e6 ? n / 1e6 + space + "million" : n.toLocaleString("en");
  const count = n => n.toLocaleString("en").replace(",", "\u202f");

  const setting = () => {
    const s = {};
    for (const name of sliders) s[name] = Number(at(name).value);
    s.sizing = Number(document.querySelector("input[name=sizing]:checked").value);
    return s;
  };
  // The cells are laid out with the strategies fastest.
  const cell = (s, strategy) => theory.cells[
    ((s.sizing * theory.windows.length + s.window) * theory.rates.length + s.rate) * theory.strategies.length + strategy];

  const names = {
    users: s => people(theory.users[s.users]),
    window: s => count(theory.windows[s.window]),
    rate: s => percent(theory.rates[s.rate]),
    shown: s => count(theory.shown[s.shown].n) + ", " + theory.shown[s.shown].who,
  };

  const answer = s => {
    const users = theory.users[s.users], goal = theory.rates[s.rate];
    return theory.strategies.map((strategy, i) => {
      const c = cell(s, i), fpr = c.f[s.shown];
      return {
        name: strategy.name, fpr, over: fpr > goal,
        texts: {
          size: c.size, bytes: count(c.b[s.shown]) + space + "B", total: bytes(c.b[s.shown] * users),
          fpr: percent(fpr), window: count(c.w[s.shown]), least: count(c.l),
        },
      };
    });
  };

  const draw = s => {
    const box = at("curve"), width = Math.max(280, box.clientWidth), height = Math.max(200, box.clientHeight);
    const left = 52, right = width - 10, top = 26, bottom = height - 42;
    const end = 4 * theory.windows[s.window], goal = theory.rates[s.rate];
    const floor = Math.floor(Math.log10(goal)) - 2;
    const x = n => left + (right - left) * Math.min(n, end) / end;
    const y = v => v <= 10 ** floor ? bottom : top + (bottom - top) * 0.94 * Math.log10(v) / floor;
    const text = (tx, ty, anchor, words) => `<text x="${tx.toFixed(1)}" y="${ty.toFixed(1)}" text-anchor="${anchor}">${words}</text>`;
    const rule = (x1, y1, x2, y2, kind) => `<path class="${kind}" d="M${x1.toFixed(1)} ${y1.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}"/>`;
    let parts = "";
    for (let e = 0; e > floor; e--) {
      parts += rule(left, y(10 ** e), right, y(10 ** e), "axis") + text(left - 6, y(10 ** e) + 4, "end", percent(10 ** e));
    }
    parts += rule(left, bottom, right, bottom, "axis") + text(left - 6, bottom + 4, "end", "≈" + space + "0");
    const steps = width > 500 ? 8 : 4;
    for (let i = 0; i <= steps; i++) {
      parts += text(x(end * i / steps), bottom + 17, i === steps ? "end" : "middle", count(end * i / steps));
    }
    parts += text((left + right) / 2, bottom + 35, "middle", "articles shown");
    parts += rule(left, y(goal), right, y(goal), "goal") + text(right, y(goal) - 5, "end", "ε = " + percent(goal));
    const reader = theory.shown[s.shown].n, here = x(reader);
    const beyond = reader > end ? " →" : "";
    parts += rule(here, top - 6, here, bottom, "reader") +
      text(Math.min(Math.max(here, left + 30), right - 40), top - 11, "middle", "shown " + count(reader) + beyond);
    theory.strategies.forEach((_, i) => {
      const c = cell(s, i), places = theory.curves[s.window];
      const points = places.map((n, j) => x(n).toFixed(1) + " " + y(c.c[j]).toFixed(1));
      parts += `<path class="line s${i}" d="M${points.join("L")}"/>`;
    });
    theory.strategies.forEach((_, i) => {
      parts += `<circle class="s${i}" r="4.5" cx="${here.toFixed(1)}" cy="${y(cell(s, i).f[s.shown]).toFixed(1)}"/>`;
    });
    box.setAttribute("viewBox", `0 0 ${width} ${height}`);
    box.innerHTML = parts;
  };

  const tabulate = s => {
    at("numbers").tBodies[0].innerHTML = theory.shown.map((habit, j) =>
      `<tr><th scope="row" class="n">${count(habit.n)}</th>` +
      theory.strategies.map((_, i) => `<td class="n">${percent(cell(s, i).f[j])}</td>`).join("") + "</tr>").join("");
  };

  let later;
  const show = () => {
    const s = setting(), found = answer(s);
    for (const name of sliders) {
      const said = names[name](s);
      at(name + "-said").textContent = said;
      at(name).setAttribute("aria-valuetext", said);
    }
    found.forEach((line, i) => {
      const row = at("answer").tBodies[0].rows[i];
      for (const [of, words] of Object.entries(line.texts)) {
        row.querySelector(`[data-of=${of}]`).textContent = words;
      }
      row.querySelector("[data-of=fpr]").classList.toggle("over", line.over);
    });
    draw(s);
    tabulate(s);
    // Said once the slider rests, not at every step.
    clearTimeout(later);
    later = setTimeout(() => {
      at("said").textContent = `${names.users(s)} users, N = ${names.window(s)}, ε = ${names.rate(s)}: ` +
        found.map(line => `${line.name} ${line.texts.total}, ${line.texts.fpr}`).join("; ") + ".";
    }, 400);
  };

  // The settings stand in the address, so that a link leads to them.
  const anchor = "#choose?";
  const keep = () => {
    const s = setting();
    history.replaceState(null, "", anchor + Object.entries(s).map(([name, value]) => name + "=" + value).join("&"));
  };
  const recall = () => {
    if (!location.hash.startsWith(anchor)) return;
    for (const [name, value] of new URLSearchParams(location.hash.slice(anchor.length))) {
      const wanted = name === "sizing" ? Array.from(document.getElementsByName(name)).find(e => e.value === value) : null;
      if (wanted) wanted.checked = true;
      else if (sliders.includes(name)) at(name).value = value;
    }
    at("choose").scrollIntoView();
  };
  recall();

  at("settings").hidden = at("found").hidden = false;
  at("settings").addEventListener("input", () => { show(); keep(); });
  at("settings").addEventListener("submit", event => event.preventDefault());
  show();

  // Claims that hold the words, whatever their verdict; without words all, folded.
  const filter = at("filter");
  if (filter) {
    filter.parentElement.hidden = false;
    filter.addEventListener("input", () => {
      const words = filter.value.toLowerCase().split(/\s+/).filter(w => w);
      let left = 0, all = 0;
      for (const group of document.querySelectorAll(".verdict")) {
        let some = 0;
        for (const row of group.querySelectorAll("tbody tr")) {
          const text = row.textContent.toLowerCase();
          row.hidden = !words.every(w => text.includes(w));
          all++;
          if (!row.hidden) some++;
        }
        group.hidden = words.length > 0 && some === 0;
        group.open = words.length > 0 && some > 0;
        left += some;
      }
      at("filtered").textContent = words.length ? `${left} of ${all}` : "";
    });
  }

  // What scrolls can be reached by keyboard.
  const reach = () => {
    for (const box of document.querySelectorAll(".scroll")) {
      const wide = box.scrollWidth > box.clientWidth + 1;
      const table = box.querySelector("caption");
      if (wide) box.tabIndex = 0; else box.removeAttribute("tabindex");
      if (table && wide) {
        box.setAttribute("role", "region");
        box.setAttribute("aria-label", table.textContent);
      } else if (table) {
        box.removeAttribute("role");
        box.removeAttribute("aria-label");
      }
    }
  };
  reach();
  document.addEventListener("toggle", reach, true);
  let waiting;
  addEventListener("resize", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => { draw(setting()); reach(); });
  });

  // On paper everything lies open.
  const closed = [];
  addEventListener("beforeprint", () => {
    for (const d of document.querySelectorAll("details:not([open])")) {
      d.open = true;
      closed.push(d);
    }
    draw(setting());
  });
  addEventListener("afterprint", () => {
    while (closed.length) closed.pop().open = false;
    draw(setting());
  });
})();
