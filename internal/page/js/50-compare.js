// What was measured: the table's lines within the limits, sorted, and a dot for each. And what the page opens with: bytes
// against time at any rate.

const limits = at("limits"), trades = at("trades");
const lines = trades ? Array.from(trades.tBodies[0].rows) : [];
const heads = trades ? Array.from(trades.tHead.rows[0].cells) : [];
const titles = new Map(heads.map(h => [h.dataset.key, h.textContent]));
const column = key => heads.findIndex(h => h.dataset.key === key);
const cellOf = (row, key) => row.cells[column(key)];
const value = (row, key) => {
  const td = cellOf(row, key);
  return td.dataset.value === undefined ? td.textContent : td.dataset.value === "" ? NaN : Number(td.dataset.value);
};
const isMore = key => heads[column(key)].dataset.more === "true";

// goTo leads to a line of the table, shown even if a limit hides it.
const goTo = row => {
  row.hidden = false;
  for (const other of lines) other.classList.toggle("here", other === row);
  row.tabIndex = -1;
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "center" });
};

// toldOf describes a line in a sentence.
const toldOf = row => `${row.cells[0].textContent}: ` + ["bytes", "query", "worst", "guaranteed", "lasts"].filter(key => column(key) >= 0)
  .map(key => (titles.get(key) === cellOf(row, key).textContent ? "" : titles.get(key) + " ") + cellOf(row, key).textContent).join(", ");

const shown = row => {
  return ["made", "lasts"].every(key => !limits.elements[key].value || value(row, key) === limits.elements[key].value) &&
    Array.from(limits.querySelectorAll("[type=number]")).every(input => {
      const limit = parseFloat(input.value), v = value(row, input.name);
      return isNaN(limit) || (isMore(input.name) ? v >= limit : v <= limit);
    });
};
let sorted = "bytes"; // the column that the table is sorted by, after "-" if it descends
const compare = () => {
  if (!limits) return;
  const key = sorted.replace("-", ""), sign = sorted.startsWith("-") ? -1 : 1;
  const rank = (a, b) => typeof a === "string" ? a.localeCompare(b) : isNaN(a) || isNaN(b) ? sign * (isNaN(a) - isNaN(b)) : a - b;
  lines.sort((a, b) => sign * rank(value(a, key), value(b, key)));
  trades.tBodies[0].append(...lines);
  heads.forEach(h => h.setAttribute("aria-sort", h.dataset.key !== key ? "none" : sign > 0 ? "ascending" : "descending"));
  for (const row of lines) row.hidden = !shown(row);
  const rest = lines.filter(row => !row.hidden);
  at("left").textContent = `${rest.length} of ${lines.length}.`;
  const wrong = Array.from(limits.querySelectorAll("[type=number]")).filter(input => !input.validity.valid);
  at("limits-refused").textContent = wrong.map(input => `${titles.get(input.name)}: not a limit, want a number, 0 or more.`).join(" ");

  const x = limits.elements.x.value, y = limits.elements.y.value;
  const axis = key => ({ name: titles.get(key), more: isMore(key), text: v => three(v) + (isShare(key) ? space + "%" : "") });
  const points = rest.map(row => ({
    name: row.cells[0].textContent, x: value(row, x), y: value(row, y),
    lasts: value(row, "lasts") === "for ever", told: toldOf(row), go: () => goTo(row),
  })).filter(p => !isNaN(p.x + p.y));
  scatter(at("scatter"), points, axis(x), axis(y), rest.length ? "Not measured for these: choose another quantity." : "No structure is within these limits.");
};
// isShare reports whether a quantity's lines are in per cent.
const isShare = key => lines.some(row => cellOf(row, key).textContent.endsWith("%"));

// A heading sorts by its column: the best first, and again the other way round.
for (const h of heads) {
  const key = h.dataset.key, button = document.createElement("button");
  button.type = "button";
  button.append(...h.childNodes);
  h.append(button);
  button.addEventListener("click", () => {
    const first = isMore(key) ? "-" + key : key;
    sorted = sorted !== first ? first : first.startsWith("-") ? key : "-" + key;
    compare();
  });
}

// What the page opens with. Times were measured at one window and rate: the lines that the table begins with. At other
// rates bytes come from theory, and the time is the measured one of the same structure.
const figure = at("opening");
const measured = figure ? lines.filter(row => value(row, "made") === value(lines[0], "made")) : [];
const measuredWindow = figure ? theory.windows.indexOf(Number(figure.dataset.window)) : -1;
const opening = () => {
  if (measuredWindow < 0) return;
  const rate = places.rate();
  at("strict").value = rate;
  at("strict").setAttribute("aria-valuetext", percent(taken("rate")));
  at("strict-said").textContent = percent(taken("rate"));
  const pick = theory.picks[measuredWindow * theory.rates.length + rate][0];
  at("advice-for").textContent = `A window of ${theory.windows[measuredWindow]}, an FPR of ${percent(taken("rate"))}:`;
  at("advice").textContent = pick ? pick.text : "No strategy keeps this for ever.";
  const points = [];
  for (const row of measured) {
    const name = row.cells[0].textContent, i = theory.strategies.findIndex(s => s.name === name);
    const c = i < 0 ? null : cellAt(i, measuredWindow, rate), ns = value(row, "query");
    if (!c || isNaN(ns)) continue;
    points.push({
      name, x: c.b, y: ns, lasts: !c.c, go: () => goTo(row),
      told: `${name}: ${count(c.b)} bytes, ${three(ns)} ns per candidate, FPR at worst ${percent(c.x)}, ${c.c ? "fixed capacity" : "lasts for ever"}`,
    });
  }
  scatter(at("opening-scatter"), points, { name: "bytes per user", text: three }, { name: "ns per candidate", text: three }, "No structure can be made for this.");
};
if (figure) figure.hidden = measuredWindow < 0; // it is shown before, so that nothing moves when it is drawn
if (measuredWindow >= 0) {
  at("opening-measured").textContent = value(lines[0], "made");
  live(at("opening-scatter"));
  at("strict").addEventListener("input", () => {
    controls.get("rate").write(String(theory.rates[Number(at("strict").value)]));
    explore();
    opening();
    keep("opening");
  });
}

if (limits) {
  for (const field of limits.querySelectorAll("[name]")) governField(field);
  for (const part of [limits, at("scatter-figure")]) part.hidden = false;
  live(at("scatter"));
  limits.addEventListener("input", () => { compare(); keep("frontier"); });
  limits.addEventListener("reset", () => setTimeout(() => {
    compare();
    keep("frontier");
  }));
}
