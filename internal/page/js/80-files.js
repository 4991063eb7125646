// A link to a figure or its rows saves them from the page itself, wherever it lies.

const files = JSON.parse(at("data").textContent) || {};
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
    const drawn = link.closest("figure").querySelector(".drawing svg"), svg = drawn.cloneNode(true);
    svg.setAttribute("font-family", getComputedStyle(drawn).fontFamily);
    for (const a of ["id", "aria-labelledby", "aria-describedby"]) svg.removeAttribute(a);
    save(name, [new XMLSerializer().serializeToString(svg)], "image/svg+xml");
  } else if (files[name]) {
    event.preventDefault();
    const packed = Uint8Array.from(atob(files[name]), c => c.charCodeAt(0));
    const text = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
    const columns = text.split("\f").map(c => c.split("\n")); // one after the other: see turned in page.go
    const rows = columns[0].map((_, i) => columns.filter(c => i < c.length).map(c => c[i]).join(","));
    save(name, [rows.join("\n")], "text/csv");
  }
});
