// The page begins as the address asks, and follows the size of the window.

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
const everything = () => {
  explore();
  redraw();
};
governField(at("strategy"));
addEventListener("hashchange", () => { recall(); everything(); });
recall();

let waiting;
addEventListener("resize", () => {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(redraw);
});

fold();
everything();
document.documentElement.setAttribute("data-ready", "");
