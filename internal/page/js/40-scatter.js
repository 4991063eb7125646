// A scatter: a dot for each structure. Pointing at one, or going there by keyboard, tells its numbers, and a click or
// Enter goes where it leads. The dots are one stop of the Tab key, and the arrow keys go from one to the next.

// scaleOf returns a logarithmic scale, or one from zero if the values are of one size.
const scaleOf = (values, from, to) => {
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

const escaped = s => s.replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const svgText = (x, y, anchor, words, kind) =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}"${kind ? ` class="${kind}"` : ""}>${escaped(words)}</text>`;
const svgPath = (kind, d) => `<path class="${kind}" d="${d}"/>`;

// bestOf returns the points that no other beats in both.
const bestOf = (points, x, y) => {
  const better = (a, b, axis) => axis.more ? a >= b : a <= b;
  return points.filter(p => !points.some(q => (q.x !== p.x || q.y !== p.y) && better(q.x, p.x, x) && better(q.y, p.y, y))).sort((a, b) => a.x - b.x);
};

// labelled finds a place beside its dot for the name of each point, if there is one.
const labelled = (points, inside) => {
  const taken = points.map(p => [p.px - 6, p.py - 6, p.px + 6, p.py + 6]);
  const free = b => inside(b) && !taken.some(t => b[0] < t[2] && t[0] < b[2] && b[1] < t[3] && t[1] < b[3]);
  for (const p of points) {
    const { px, py } = p, w = 6.6 * p.name.length;
    p.label = [[px + 9, py + 4, "start", px + 9], [px - 9, py + 4, "end", px - 9 - w], [px, py - 10, "middle", px - w / 2], [px, py + 18, "middle", px - w / 2],
      [px + 8, py - 7, "start", px + 8], [px + 8, py + 15, "start", px + 8], [px - 8, py - 7, "end", px - 8 - w], [px - 8, py + 15, "end", px - 8 - w]]
      .find(([, ty, , l]) => free([l, ty - 10, l + w, ty + 3]));
    if (p.label) taken.push([p.label[3], p.label[1] - 10, p.label[3] + w, p.label[1] + 3]);
  }
};

// scatter draws points, each { name, x, y, lasts, told, go }, on axes { name, text, more }. Drawn again it keeps the dot
// where the keyboard is. Without points it shows why there are none.
const scatter = (box, points, x, y, why) => {
  const width = Math.max(280, box.clientWidth), height = Math.max(240, box.clientHeight);
  const left = 58, right = width - 14, top = 26, bottom = height - 44;
  box.setAttribute("viewBox", `0 0 ${width} ${height}`);
  box.points = points;
  if (!points.length) {
    box.innerHTML = svgText(width / 2, height / 2, "middle", why);
    return;
  }
  const [h, v] = [scaleOf(points.map(p => p.x), left, right), scaleOf(points.map(p => p.y), bottom, top)];
  const name = axis => axis.name + (axis.more ? " (more is better)" : " (less is better)");
  let parts = v.ticks.map(t => svgPath("axis", `M${left} ${v.of(t).toFixed(1)}H${right}`) + svgText(left - 6, v.of(t) + 4, "end", y.text(t))).join("") +
    h.ticks.map(t => svgPath("axis", `M${h.of(t).toFixed(1)} ${top}V${bottom}`) + svgText(h.of(t), bottom + 17, "middle", x.text(t))).join("") +
    svgText((left + right) / 2, bottom + 36, "middle", name(x)) + svgText(8, top - 12, "start", name(y));
  for (const p of points) [p.px, p.py] = [h.of(p.x), v.of(p.y)];
  const front = [];
  for (const lasts of [true, false]) {
    const best = bestOf(points.filter(p => p.lasts === lasts), x, y);
    if (best.length) parts += svgPath(lasts ? "front" : "front fixed", "M" + best.map(p => `${p.px.toFixed(1)} ${p.py.toFixed(1)}`).join("L"));
    front.push(...best);
  }
  labelled(points, b => b[0] >= left + 2 && b[2] <= width && b[1] >= top - 8 && b[3] <= bottom);
  points.sort((a, b) => a.x - b.x);
  const current = Math.max(0, points.findIndex(p => p.name === box.current));
  const focused = box.contains(document.activeElement);
  parts += points.map((p, i) => `<g class="point" role="link" tabindex="${i === current ? 0 : -1}" aria-label="${escaped(p.told)}" data-at="${i}">` +
    `<circle class="reach" r="12" cx="${p.px.toFixed(1)}" cy="${p.py.toFixed(1)}"/>` +
    `<circle class="dot ${p.lasts ? "lasts" : "fixed"}" r="5" cx="${p.px.toFixed(1)}" cy="${p.py.toFixed(1)}"/>` +
    (p.label ? svgText(p.label[0], p.label[1], p.label[2], p.name, front.includes(p) ? "on" : "") : "") + "</g>").join("");
  box.innerHTML = parts;
  if (focused) box.querySelector(".point[tabindex='0']").focus();
};

// live makes the dots of a scatter answer, also those drawn later.
const live = box => {
  const tip = Object.assign(document.createElement("div"), { className: "tip", hidden: true });
  tip.setAttribute("aria-hidden", "true"); // the dot's own name says the same
  box.after(tip);
  const dotOf = event => event.target.closest && event.target.closest(".point");
  const pointOf = dot => box.points[Number(dot.dataset.at)];
  const show = event => {
    const dot = dotOf(event);
    tip.hidden = !dot;
    if (!dot) return;
    const p = pointOf(dot), width = box.clientWidth;
    tip.textContent = p.told;
    // In the other half of the picture than the dot, so that it never sticks out.
    tip.style.top = p.py + 14 + "px";
    [tip.style.left, tip.style.right] = p.px < width / 2 ? [Math.max(0, p.px - 20) + "px", "auto"] : ["auto", Math.max(0, width - p.px - 20) + "px"];
  };
  const move = to => {
    const dots = Array.from(box.querySelectorAll(".point")), next = dots[Math.min(Math.max(to, 0), dots.length - 1)];
    for (const dot of dots) dot.setAttribute("tabindex", dot === next ? 0 : -1);
    box.current = pointOf(next).name;
    next.focus();
  };
  for (const name of ["pointerover", "focusin"]) box.addEventListener(name, show);
  for (const name of ["pointerleave", "focusout"]) box.addEventListener(name, () => { tip.hidden = true; });
  box.addEventListener("click", event => {
    const dot = dotOf(event);
    if (dot) pointOf(dot).go();
  });
  box.addEventListener("keydown", event => {
    const dot = dotOf(event);
    if (!dot) return;
    const here = Number(dot.dataset.at), last = box.points.length - 1;
    const to = { ArrowRight: here + 1, ArrowDown: here + 1, ArrowLeft: here - 1, ArrowUp: here - 1, Home: 0, End: last }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      move(to);
    } else if (event.key === "Enter") {
      pointOf(dot).go();
    } else if (event.key === "Escape") {
      tip.hidden = true;
    }
  });
};
