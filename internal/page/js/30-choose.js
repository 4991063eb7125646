// Choose for yourself: what every strategy takes and keeps, at the users, window, rate and memory asked for.

const slider = name => at(name), field = name => at(name + "-field");
const storeBytes = theory.store; // kept beside a history

// settings describes what can be asked for: its value, its slider's places, and how it is read and written.
const settings = {
  users: {
    value: theory.users[theory.start.users], places: theory.users, text: people, written: String,
    example: `1 to ${people(theory.users.at(-1))}, as 30M or 30 million`,
    read(text) { return within(this, text, amount(text, "count", this.example), 1, theory.users.at(-1), true); },
  },
  window: {
    value: theory.windows[theory.start.window], places: theory.windows, text: count, written: String,
    example: `1 to ${count(theory.windows.at(-1))} articles`,
    read(text) { return within(this, text, amount(text, "count", this.example), 1, theory.windows.at(-1), true); },
  },
  rate: {
    value: theory.rates[theory.start.rate], places: theory.rates, text: percent, written: String,
    example: `${percent(theory.rates.at(-1))} to less than 100 %, as 2% or 0.02`,
    read(text) { return within(this, text, amount(text, "rate", this.example), theory.rates.at(-1), 1 - 1e-9, false); },
  },
  memory: {
    value: Infinity, places: null, text: v => v === Infinity ? "" : bytes(v), written: v => v === Infinity ? "" : v + "B",
    example: "a size with a unit, as 8GB or 8GiB, or nothing for no limit",
    read(text) { return text.trim() === "" ? Infinity : within(this, text, amount(text, "size", this.example), 1, 1e18, false); },
  },
};
const within = (setting, text, v, least, most, whole) => {
  if (whole && !Number.isInteger(v)) throw Error(`“${text}” is not a whole number, want ${setting.example}`);
  if (!(v >= least && v <= most)) throw Error(`“${text}” is out of range, want ${setting.example}`);
  return v;
};

// Theory is known at a grid's places. In between the page takes the stricter place: a window at least as long, a rate
// at least as low. Users need none.
const places = {
  users: () => settings.users.places.reduce((best, v, i, all) =>
    Math.abs(Math.log(v / settings.users.value)) < Math.abs(Math.log(all[best] / settings.users.value)) ? i : best, 0),
  window: () => settings.window.places.findIndex(v => v >= settings.window.value),
  rate: () => settings.rate.places.findIndex(v => v <= settings.rate.value * (1 + 1e-9)),
};
const taken = name => settings[name].places[places[name]()];
const cellAt = (strategy, window, rate) => theory.cells[(window * theory.rates.length + rate) * theory.strategies.length + strategy];

// tell says under a field how the page reads it.
const tell = (name, text, wrong) => {
  at(name + "-refused").textContent = text;
  at(name + "-refused").classList.toggle("wrong", !!wrong);
  if (wrong) field(name).setAttribute("aria-invalid", "true"); else field(name).removeAttribute("aria-invalid");
};
const tellTaken = name => {
  const { value, text } = settings[name];
  if (name !== "window" && name !== "rate" || taken(name) === value) return tell(name, "");
  const flag = name === "rate" ? "--fpr " + value : "--window " + value;
  tell(name, `The page has ${text(taken(name))}, the next ${name === "rate" ? "lower" : "longer"}. “go run ./experiments choose ${flag}” has ${text(value)}.`);
};

for (const name in settings) {
  const setting = settings[name];
  const show = () => {
    field(name).value = setting.text(setting.value);
    tellTaken(name);
  };
  show();
  govern(name, {
    read: () => setting.written(setting.value),
    shown: () => setting.text(setting.value) || "no limit",
    write: text => { setting.value = setting.read(text); show(); },
  });
  field(name).addEventListener("input", () => {
    try {
      setting.value = setting.read(field(name).value);
      tellTaken(name);
    } catch (e) {
      tell(name, e.message + `. Shown is ${setting.text(setting.value) || "no limit"}.`, true);
    }
  });
  field(name).addEventListener("change", () => {
    if (!field(name).hasAttribute("aria-invalid")) show();
  });
  if (setting.places) slider(name).addEventListener("input", () => {
    setting.value = setting.places[Number(slider(name).value)];
    show();
  });
}

let later;
// explore fills the table, and names the smallest.
const explore = () => {
  const users = settings.users.value, goal = taken("rate"), articles = taken("window"), memory = settings.memory.value;
  for (const name in places) {
    slider(name).value = places[name]();
    slider(name).setAttribute("aria-valuetext", settings[name].text(settings[name].value));
  }
  const body = at("answer").tBodies[0];
  const lines = theory.strategies.map((strategy, i) => ({
    strategy, c: cellAt(i, places.window(), places.rate()), row: body.querySelector(`[data-strategy="${strategy.name}"]`),
  }));
  const tooLarge = c => (c.b + storeBytes) * users > memory;
  // What meets all for ever, what does until it is full, what meets them not, what cannot be made.
  const meets = c => c.x <= goal && c.w >= articles && !tooLarge(c);
  const group = c => !c ? 3 : !meets(c) ? 2 : c.c ? 1 : 0;
  lines.sort((a, b) => group(a.c) - group(b.c) || (a.c && a.c.b - b.c.b));
  const most = Math.max(...lines.map(l => l.c ? l.c.b : 0));
  for (const { c, row } of lines) {
    body.append(row);
    const texts = c ? {
      bytes: count(c.b) + space + "B" + (c.a < c.b ? ` (${count(c.a)} on average)` : ""), total: bytes((c.b + storeBytes) * users),
      worst: percent(c.x), mean: percent(c.m),
      window: c.c ? "capacity " + count(c.w) : count(c.w),
    } : { bytes: "cannot be made" };
    for (const td of row.querySelectorAll("[data-of]")) td.textContent = texts[td.dataset.of] || "–";
    row.querySelector("[data-of=worst]").classList.toggle("over", !!c && c.x > goal);
    row.querySelector("[data-of=window]").classList.toggle("over", !!c && c.w < articles);
    row.querySelector("[data-of=total]").classList.toggle("over", !!c && tooLarge(c));
    row.querySelector("[data-of=total]").style.setProperty("--share", c ? (100 * c.b / most).toFixed(1) + "%" : "0%");
  }
  const fixed = lines.find(l => group(l.c) === 1);
  const fits = i => i >= 0 && !tooLarge(cellAt(i, places.window(), places.rate()));
  const pick = theory.picks[places.window() * theory.rates.length + places.rate()].find(p => fits(p.take));
  const wanted = at("strategy").value || pick && theory.strategies[pick.take].name;
  const take = lines.find(l => l.strategy.name === wanted);
  at("go").textContent = take && take.c ? `${take.c.g} // ${take.strategy.name}` : take ? `// ${take.strategy.name} cannot be made for these settings` : "// no strategy meets these settings for ever";
  at("copy-go").disabled = !(take && take.c);
  // Announced once the slider rests, not at every step.
  clearTimeout(later);
  later = setTimeout(() => {
    const limit = memory === Infinity ? "" : ` in ${bytes(memory)}`;
    const total = c => bytes((c.b + storeBytes) * users);
    const capacity = fixed ? ` With a fixed capacity ${fixed.strategy.name} takes ${total(fixed.c)} in all.` : "";
    at("said").textContent = `For ${people(users)} users, N = ${count(articles)} and ε = ${percent(goal)}${limit}: ` +
      (pick ? `${fits(pick.second) ? pick.text : pick.alone} That is ${total(cellAt(pick.take, places.window(), places.rate()))} in all.` : "No strategy keeps these for ever.") + capacity;
  }, 250);
};

// The code is put on the clipboard. If the browser forbids it, the code is selected for copying.
at("copy-go").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(at("go").textContent);
    at("copied").textContent = "Copied.";
  } catch {
    getSelection().selectAllChildren(at("go"));
    at("copied").textContent = "The browser does not allow it; the code is selected.";
  }
});
