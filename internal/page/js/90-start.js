// The page begins: what the address asks for, drawn and said; and it follows the window, the keyboard and the printer.

at("settings").addEventListener("input", () => { explore(); opening(); keep("choose"); });
at("strategy").addEventListener("input", () => { explore(); keep("choose"); });
for (const form of document.forms) form.addEventListener("submit", event => event.preventDefault());
for (const id of ["settings", "found"]) at(id).hidden = false;

// redraw draws what is as wide as the window lets it be.
const redraw = () => {
  opening();
  compare();
  paint();
};
const everything = () => {
  explore();
  redraw();
  if (filter && (filter.value || document.querySelector(".verdict tr[hidden]"))) judge();
};
governField(at("strategy"));
addEventListener("hashchange", () => { recall(); everything(); });
recall();
everything();

// What scrolls can be reached by keyboard. What is folded, or far away and not laid out, is looked at when it is.
const reach = () => {
  for (const box of all(".scroll")) {
    if (!box.checkVisibility({ contentVisibilityAuto: true })) continue;
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
const inNextFrame = f => {
  let waiting;
  return () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(f);
  };
};
reach();
document.addEventListener("toggle", reach, true);
document.addEventListener("contentvisibilityautostatechange", inNextFrame(reach), true);
addEventListener("resize", inNextFrame(() => { redraw(); reach(); }));

// On paper figures and claims lie open; numbers stay in their files.
const closed = [];
addEventListener("beforeprint", () => {
  for (const d of all("details.drawn:not([open]), details.verdict:not([open])")) {
    d.open = true;
    closed.push(d);
  }
  redraw();
});
addEventListener("afterprint", () => {
  while (closed.length) closed.pop().open = false;
  redraw();
});
