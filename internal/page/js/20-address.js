// The page's address holds what was chosen, behind the part of the page where it was last chosen:
// "#choose?users=30000000&window=400". It can be written by hand: "#users=30M" will do. What it asks for is shown or
// refused in a message, never ignored.

const controls = new Map(); // by name: { read(): text, write(text), which throws an Error that says what would do }
const started = new Map();  // what each control had when the page was opened
const otherNames = { articles: "window", fpr: "rate", n: "window" };

// govern makes a control a part of the address.
const govern = (name, control) => {
  controls.set(name, control);
  started.set(name, control.read());
};

// governField does so for a form's own control. A choice must be one of those there are, a number a number.
const governField = field => govern(field.name, {
  read: () => field.value,
  write: text => {
    const options = Array.from(field.options || [], o => o.value);
    if (options.length && !options.includes(text)) throw Error(`“${text}” is none of its choices, want ${options.filter(o => o).join(", ")}`);
    if (field.type === "number" && text !== "" && !(Number(text) >= 0)) throw Error(`“${text}” is not a number, want 0 or more`);
    field.value = text;
  },
});

// keep writes settings that differ from the start into the address.
const keep = part => {
  const chosen = new URLSearchParams(Array.from(controls, ([name, c]) => [name, c.read()]).filter(([name, text]) => text !== started.get(name)));
  history.replaceState(null, "", "#" + part + (chosen.size ? "?" + chosen : ""));
  refuse([]);
};

// refuse shows, at the top of the window, what the address asks for in vain.
const refuse = reasons => {
  const box = at("refused");
  box.hidden = reasons.length === 0;
  box.replaceChildren(...reasons.map(reason => Object.assign(document.createElement("span"), { textContent: reason })));
};

// asked splits the address into a part of the page and settings, which follow "?" or are alone.
const asked = () => {
  const hash = location.hash.slice(1);
  const [part, settings] = hash.includes("?") ? hash.split(/\?(.*)/s) : hash.includes("=") ? ["", hash] : [hash, undefined];
  return { part, settings: settings ?? (hash ? undefined : location.search.slice(1) || undefined) };
};

// recall sets the controls by the address, and goes to its part.
const recall = () => {
  const { part, settings } = asked(), reasons = [];
  if (settings !== undefined) {
    const values = new Map(Array.from(new URLSearchParams(settings), ([name, text]) => [otherNames[name.toLowerCase()] || name.toLowerCase(), text]));
    for (const [name, control] of controls) control.write(started.get(name));
    for (const [name, text] of values) {
      const control = controls.get(name);
      if (!control) {
        reasons.push(`The address has ${name}=${text}: this page knows ${Array.from(controls.keys()).join(", ")}.`);
        continue;
      }
      try {
        control.write(text);
      } catch (e) {
        reasons.push(`The address has ${name}=${text}: ${e.message}. Shown is ${control.shown ? control.shown() : control.read() || "anything"}.`);
      }
    }
  }
  const name = part || (settings === undefined ? "" : "choose"), to = name && at(name);
  if (name && !to) reasons.push(`The address leads to “${name}”, and no part of this page is called so.`);
  refuse(reasons);
  if (!to) return;
  for (let e = to; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
  to.scrollIntoView();
};
