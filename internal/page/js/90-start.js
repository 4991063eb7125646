// The page begins: what the address asks for, drawn and said; and it follows the window, the keyboard and the printer.

at("settings").addEventListener("input", () => { explore(); opening(); keep("choose"); });
at("strategy").addEventListener("input", () => { explore(); keep("choose"); });
for (const form of document.forms) form.addEventListener("submit", event => event.preventDefault());
for (const id of ["settings", "found"]) at(id).hidden = false;

// redraw draws everything whose width depends on the window.
const redraw = () => {
  opening();
  compare();
  paint();
};
// Drawings have a narrow form, too, for windows that page.css calls narrow.
const slim = matchMedia("screen and (max-width: 46rem)");
const fold = () => {
  if (slim.matches) for (const form of all(".drawing template")) form.replaceWith(form.content);
};
slim.addEventListener("change", fold);
const search = () => {
  if (filter && (filter.value || document.querySelector(".verdict tr[hidden]"))) judge();
};
const everything = () => {
  explore();
  redraw();
  search();
};
governField(at("strategy"));
addEventListener("hashchange", () => { recall(); everything(); });
recall();

// Parts that scroll can be reached by keyboard. Folded or distant parts, not laid out yet, are examined later: until
// then they may scroll.
const reach = () => {
  for (const box of all(".scroll")) {
    if (!box.checkVisibility({ contentVisibilityAuto: true })) {
      box.tabIndex = 0;
      continue;
    }
    const wide = box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
    const table = box.querySelector("caption");
    if (wide || box === document.activeElement) box.tabIndex = 0; else box.removeAttribute("tabindex");
    if (table && wide) {
      box.setAttribute("role", "group");
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
document.addEventListener("toggle", reach, true);
document.addEventListener("contentvisibilityautostatechange", inNextFrame(reach), true);
addEventListener("resize", inNextFrame(() => { redraw(); reach(); }));

// On paper figures and claims are open; numbers stay in their files.
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

// The page is drawn in steps, between which the browser shows what is ready and listens; at once if its address asks
// for something.
const inTurn = ([step, ...others]) => {
  if (!step) return document.documentElement.setAttribute("data-ready", "");
  step();
  setTimeout(inTurn, 0, others);
};
inTurn(location.hash || location.search ? [() => { fold(); everything(); reach(); }] : [fold, explore, opening, compare, search, reach]);
