"use strict";
(() => {
  const at = id => document.getElementById(id);
  const theory = JSON.parse(at("theory").textContent);
  const files = JSON.parse(at("data").textContent) || {};
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

  // What every strategy takes and keeps. A slider moves among places; the address has their values.
  const places = { users: theory.users, articles: theory.windows, rate: theory.rates };
  const names = { users: people, articles: count, rate: percent };
  const place = name => places[name][Number(at(name).value)];
  const cell = strategy => theory.cells[ // the strategies run fastest
    (Number(at("articles").value) * theory.rates.length + Number(at("rate").value)) * theory.strategies.length + strategy];

  let later;
  const explore = () => {
    const users = place("users"), goal = place("rate");
    for (const name in places) {
      const said = names[name](place(name));
      at(name + "-said").textContent = said;
      at(name).setAttribute("aria-valuetext", said);
    }
    const body = at("answer").tBodies[0];
    const lines = theory.strategies.map((strategy, i) => ({
      strategy, c: cell(i), row: body.querySelector(`[data-strategy="${strategy.name}"]`),
    }));
    // What meets both for ever, what does until it is full, what meets them not, what cannot be made.
    const meets = c => c && c.x <= goal && c.w >= place("articles");
    const group = c => !c ? 3 : !meets(c) ? 2 : c.c ? 1 : 0;
    lines.sort((a, b) => group(a.c) - group(b.c) || (a.c && a.c.b - b.c.b));
    const most = Math.max(...lines.map(l => l.c ? l.c.b : 0));
    for (const { c, row } of lines) {
      body.append(row);
      const texts = c ? {
        bytes: count(c.b) + space + "B", total: bytes(c.b * users),
        worst: percent(c.x), mean: percent(c.m),
        window: c.c ? "capacity " + count(c.w) : count(c.w),
      } : { bytes: "cannot be made" };
      for (const td of row.querySelectorAll("[data-of]")) td.textContent = texts[td.dataset.of] || "–";
      row.querySelector("[data-of=worst]").classList.toggle("over", !!c && c.x > goal);
      row.querySelector("[data-of=window]").classList.toggle("over", !!c && c.w < place("articles"));
      row.querySelector("[data-of=total]").style.setProperty("--share", c ? (100 * c.b / most).toFixed(1) + "%" : "0%");
    }
    // Said once the slider rests, not at every step.
    clearTimeout(later);
    later = setTimeout(() => {
      const [lasts, fixed] = [0, 1].map(g => lines.find(l => group(l.c) === g));
      const take = l => l ? `${l.strategy.name}, ${bytes(l.c.b * users)}` : "none";
      at("said").textContent = `The smallest for ${names.users(users)} users, N = ${names.articles(place("articles"))} and ε = ${percent(goal)}: ` +
        `${take(lasts)} (for ever) or ${take(fixed)} (fixed capacity).`;
    }, 250);
  };

  // What was measured: lines within the limits, sorted, and a point for each.
  const limits = at("limits"), trades = at("trades");
  const lines = trades ? Array.from(trades.tBodies[0].rows) : [];
  const heads = trades ? Array.from(trades.tHead.rows[0].cells) : [];
  const column = key => heads.findIndex(h => h.dataset.key === key);
  const value = (row, key) => {
    const td = row.cells[column(key)];
    return td.dataset.value === undefined ? td.textContent : td.dataset.value === "" ? NaN : Number(td.dataset.value);
  };
  const shown = row => {
    const words = limits.elements.structure.value.toLowerCase().split(/\s+/).filter(w => w);
    const text = (row.cells[0].textContent + " " + row.cells[0].title).toLowerCase();
    return words.every(w => text.includes(w)) &&
      ["made", "lasts"].every(key => !limits.elements[key].value || value(row, key) === limits.elements[key].value) &&
      Array.from(limits.querySelectorAll("[type=number]")).every(input => {
        const limit = parseFloat(input.value), v = value(row, input.name);
        return isNaN(limit) || (heads[column(input.name)].dataset.more === "true" ? v >= limit : v <= limit);
      });
  };
  const compare = () => {
    if (!limits) return;
    const sort = limits.elements.sort.value, key = sort.replace("-", ""), sign = sort.startsWith("-") ? -1 : 1;
    const rank = (a, b) => typeof a === "string" ? a.localeCompare(b) : isNaN(a) || isNaN(b) ? sign * (isNaN(a) - isNaN(b)) : a - b;
    if (column(key) >= 0) {
      lines.sort((a, b) => sign * rank(value(a, key), value(b, key)));
      trades.tBodies[0].append(...lines);
      heads.forEach(h => h.setAttribute("aria-sort", h.dataset.key !== key ? "none" : sign > 0 ? "ascending" : "descending"));
    }
    for (const row of lines) row.hidden = !shown(row);
    const rest = lines.filter(row => !row.hidden);
    at("left").textContent = `${rest.length} of ${lines.length}.`;
    scatter(rest, limits.elements.x.value, limits.elements.y.value);
  };

  // A logarithmic scale, or one from zero where the values are of one size.
  const scale = (values, from, to) => {
    const [least, most] = [Math.min(...values), Math.max(...values)];
    if (least <= 0 || most < 3 * least) {
      const top = most * 1.1 || 1, step = 10 ** Math.floor(Math.log10(top)), by = top / step < 2.5 ? step / 2 : top / step < 5 ? step : 2 * step;
      return { of: v => from + (to - from) * v / top, ticks: Array.from({ length: Math.floor(top / by) + 1 }, (_, i) => i * by) };
    }
    const [low, high] = [Math.log10(least) - 0.08, Math.log10(most) + 0.08];
    const ticks = [];
    for (let e = Math.floor(low); e <= high; e++) for (const m of [1, 2, 5]) {
      const v = m * 10 ** e;
      if (Math.log10(v) >= low && Math.log10(v) <= high) ticks.push(v);
    }
    return { of: v => from + (to - from) * (Math.log10(v) - low) / (high - low), ticks };
  };
  const escaped = s => s.replace(/[&<>]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);
  const scatter = (rows, x, y) => {
    const box = at("scatter"), width = Math.max(280, box.clientWidth), height = Math.max(240, box.clientHeight);
    const left = 58, right = width - 14, top = 26, bottom = height - 44;
    const points = rows.map(row => ({ row, name: row.cells[0].textContent, x: value(row, x), y: value(row, y) })).filter(p => !isNaN(p.x + p.y));
    box.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const text = (tx, ty, anchor, words) => `<text x="${tx.toFixed(1)}" y="${ty.toFixed(1)}" text-anchor="${anchor}">${escaped(words)}</text>`;
    const path = (kind, d) => `<path class="${kind}" d="${d}"/>`;
    const name = key => heads[column(key)].textContent + (heads[column(key)].dataset.more === "true" ? " (more is better)" : " (less is better)");
    if (!points.length) {
      box.innerHTML = text(width / 2, height / 2, "middle", rows.length ? "Not measured for these: choose another quantity." : "No structure is within these limits.");
      return;
    }
    const [h, v] = [scale(points.map(p => p.x), left, right), scale(points.map(p => p.y), bottom, top)];
    const unit = key => (limits.elements[key] && limits.elements[key].nextSibling ? limits.elements[key].nextSibling.textContent.trim() : key === "mean" ? "%" : "");
    const said = (n, key) => three(n) + (unit(key) === "%" ? space + "%" : "");
    let parts = v.ticks.map(t => path("axis", `M${left} ${v.of(t).toFixed(1)}H${right}`) + text(left - 6, v.of(t) + 4, "end", said(t, y))).join("") +
      h.ticks.map(t => path("axis", `M${h.of(t).toFixed(1)} ${top}V${bottom}`) + text(h.of(t), bottom + 17, "middle", said(t, x))).join("") +
      text((left + right) / 2, bottom + 36, "middle", name(x)) + text(8, top - 12, "start", name(y));
    // What no other of its kind beats in both.
    const better = (a, b, key) => heads[column(key)].dataset.more === "true" ? a >= b : a <= b;
    const front = [];
    for (const kind of ["for ever", "fixed capacity"]) {
      const alike = points.filter(p => value(p.row, "lasts") === kind);
      const best = alike.filter(p => !alike.some(q => (q.x !== p.x || q.y !== p.y) && better(q.x, p.x, x) && better(q.y, p.y, y))).sort((a, b) => a.x - b.x);
      if (best.length) parts += path(kind === "for ever" ? "front" : "front fixed", "M" + best.map(p => `${h.of(p.x).toFixed(1)} ${v.of(p.y).toFixed(1)}`).join("L"));
      front.push(...best);
    }
    const taken = points.map(p => [h.of(p.x) - 6, v.of(p.y) - 6, h.of(p.x) + 6, v.of(p.y) + 6]);
    const free = b => b[0] >= left + 2 && b[2] <= width && b[1] >= top - 8 && b[3] <= bottom && !taken.some(t => b[0] < t[2] && t[0] < b[2] && b[1] < t[3] && t[1] < b[3]);
    for (const p of points) {
      const [px, py] = [h.of(p.x), v.of(p.y)], w = 6.6 * p.name.length;
      p.label = [[px + 9, py + 4, "start", px + 9], [px - 9, py + 4, "end", px - 9 - w], [px, py - 10, "middle", px - w / 2], [px, py + 18, "middle", px - w / 2]]
        .find(([, ty, , l]) => free([l, ty - 10, l + w, ty + 3]));
      if (p.label) taken.push([p.label[3], p.label[1] - 10, p.label[3] + w, p.label[1] + 3]);
    }
    for (const p of points) {
      const lasts = value(p.row, "lasts") === "for ever", on = front.includes(p);
      parts += `<circle class="${lasts ? "lasts" : "fixed"}" r="5" cx="${h.of(p.x).toFixed(1)}" cy="${v.of(p.y).toFixed(1)}"><title>${escaped(p.name)}</title></circle>`;
      if (p.label) parts += text(p.label[0], p.label[1], p.label[2], p.name).replace("<text", on ? "<text class=\"on\"" : "<text");
    }
    box.innerHTML = parts;
  };
  // A heading sorts by its column: the best first, and again the other way round.
  for (const h of heads) {
    const key = h.dataset.key, button = document.createElement("button");
    button.type = "button";
    button.append(...h.childNodes);
    h.append(button);
    button.addEventListener("click", () => {
      const first = h.dataset.more === "true" ? "-" + key : key, sort = limits.elements.sort;
      sort.value = sort.value !== first ? first : first.startsWith("-") ? key : "-" + key;
      compare();
      keep("frontier");
    });
  }

  // Claims that hold the words, whatever their verdict; without words all, folded.
  const filter = at("filter");
  const judge = () => {
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
  };

  // What was chosen stands in the address behind the part it was last chosen in, so that a
  // link leads to it: what differs from what the page starts with.
  const controls = Array.from(document.querySelectorAll("#settings [name], #limits [name], #filter"));
  const written = c => c.name in places ? String(place(c.name)) : c.value;
  const start = new Map(controls.map(c => [c, written(c)]));
  const keep = part => {
    const chosen = new URLSearchParams(controls.filter(c => written(c) !== start.get(c)).map(c => [c.name, written(c)]));
    history.replaceState(null, "", "#" + part + (chosen.size ? "?" + chosen : ""));
  };
  const restore = (c, text) => {
    if (!(c.name in places)) {
      c.value = text;
      if (c.tagName === "SELECT" && c.selectedIndex < 0) c.value = start.get(c);
      return;
    }
    const i = places[c.name].findIndex(v => String(v) === text);
    if (i >= 0) c.value = i;
  };
  const recall = () => {
    const [part, chosen] = location.hash.slice(1).split("?");
    if (chosen !== undefined) {
      const values = new URLSearchParams(chosen);
      for (const c of controls) restore(c, values.has(c.name) ? values.get(c.name) : start.get(c));
    }
    const to = part && at(part);
    if (!to) return;
    for (let e = to; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    to.scrollIntoView();
  };

  for (const id of ["settings", "found", "limits", "scatter-figure"]) if (at(id)) at(id).hidden = false;
  at("settings").addEventListener("input", () => { explore(); keep("choose"); });
  if (limits) {
    limits.addEventListener("input", () => { compare(); keep("frontier"); });
    limits.addEventListener("reset", () => setTimeout(() => {
      limits.elements.sort.value = start.get(limits.elements.sort);
      compare();
      keep("frontier");
    }));
  }
  for (const form of document.forms) form.addEventListener("submit", event => event.preventDefault());
  if (filter) {
    filter.parentElement.hidden = false;
    filter.addEventListener("input", () => { judge(); keep("verdicts"); });
  }
  const all = () => {
    explore();
    compare();
    if (filter && (filter.value || document.querySelector(".verdict tr[hidden]"))) judge();
  };
  addEventListener("hashchange", () => { recall(); all(); });
  recall();
  all();

  // A link to a figure or its rows saves them from the page itself, wherever it lies.
  const save = (name, parts, type) => {
    const link = document.createElement("a");
    link.download = name;
    link.href = URL.createObjectURL(new Blob(parts, { type }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  document.addEventListener("click", async event => {
    const link = event.target.closest(".files a");
    if (!link) return;
    const name = link.textContent;
    if (name.endsWith(".svg")) {
      event.preventDefault();
      const svg = link.closest("figure").querySelector(".drawing svg").cloneNode(true);
      for (const a of ["aria-labelledby", "aria-describedby"]) svg.removeAttribute(a);
      save(name, [new XMLSerializer().serializeToString(svg)], "image/svg+xml");
    } else if (files[name]) {
      event.preventDefault();
      const packed = Uint8Array.from(atob(files[name]), c => c.charCodeAt(0));
      save(name, [await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text()], "text/csv");
    }
  });

  // What scrolls can be reached by keyboard.
  const reach = () => {
    for (const box of document.querySelectorAll(".scroll")) {
      const wide = box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
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
    waiting = requestAnimationFrame(() => { compare(); reach(); });
  });

  // On paper figures and claims lie open; numbers stay in their files.
  const closed = [];
  addEventListener("beforeprint", () => {
    for (const d of document.querySelectorAll("details.drawn:not([open]), details.verdict:not([open])")) {
      d.open = true;
      closed.push(d);
    }
    compare();
  });
  addEventListener("afterprint", () => {
    while (closed.length) closed.pop().open = false;
    compare();
  });
})();
