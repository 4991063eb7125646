// A filter to play with: one Bloom filter, and a chain of links with the same number of bits. Both take the same
// articles, for the one user whose bits are drawn and for many more, over whom rates are measured. Positions are random
// numbers that follow from user and article, so that everything repeats the next time.

const game = JSON.parse(at("played").textContent);
const players = 1000, asks = 20; // users, and unseen candidates of each at every step
const unseenFrom = 1e6;         // articles that nobody is shown have numbers from here on
const last = game.filter.length - 1; // the number of articles shown
const early = 36;               // the articles that are shown at the start
const wholeBits = game.links * game.bits;

// hashOf mixes user, article and a counter to 32 bits, as murmur's finaliser does.
const hashOf = (user, article, i) => {
  let h = Math.imul(user + 1, 0x9e3779b1) ^ Math.imul(article + 1, 0x85ebca77) ^ Math.imul(i + 1, 0xc2b2ae3d);
  h = Math.imul(h ^ h >>> 16, 0x85ebca6b);
  h = Math.imul(h ^ h >>> 13, 0xc2b2ae35);
  return (h ^ h >>> 16) >>> 0;
};
// positionsOf returns the positions of an article's bits in an array.
const positionsOf = (user, article, bits) =>
  Array.from({ length: game.hashes }, (_, i) => Math.floor(hashOf(user, article, i) / 2 ** 32 * bits));

let board; // every user's filter and chain, and what was measured
const begin = () => {
  board = {
    shown: 0, active: 0, asked: 0, running: null,
    held: Array(game.links).fill(0), // articles of each link
    filters: Array.from({ length: players }, () => new Uint8Array(wholeBits)),
    chains: Array.from({ length: players }, () => Array.from({ length: game.links }, () => new Uint8Array(game.bits))),
    rates: [[0, 0]], // of filter and chain, by the number of articles; with holes where they were not measured
  };
};

const filterSays = (user, article) => positionsOf(user, article, wholeBits).every(p => board.filters[user][p]);
// linkSays returns the link with all bits of an article, or -1: each is tried at the same positions.
const linkSays = (user, article) => {
  const positions = positionsOf(user, article, game.bits);
  return board.chains[user].findIndex(link => positions.every(p => link[p]));
};

// measure returns how often filter and chain report unseen candidates as seen.
const measure = () => {
  let filter = 0, chain = 0;
  for (let user = 0; user < players; user++) for (let i = 0; i < asks; i++) {
    const article = unseenFrom + board.shown * asks + i;
    if (filterSays(user, article)) filter++;
    if (linkSays(user, article) >= 0) chain++;
  }
  return [filter / players / asks, chain / players / asks];
};

// step shows the next article to every user, measures rates if measured, and returns what happened, for people.
const step = measured => {
  const article = ++board.shown;
  let happened = "";
  if (board.held[board.active] === game.capacity) {
    board.active = (board.active + 1) % game.links;
    const lost = board.held[board.active];
    board.held[board.active] = 0;
    for (const links of board.chains) links[board.active].fill(0);
    happened = `The active link was full. Link ${board.active + 1} ` + (lost
      ? `held the oldest articles, ${article - game.links * game.capacity} to ${article - game.links * game.capacity + lost - 1}: it is cleared, and is active now. ` + (board.active === 0 ? "A full rotation is complete. " : "")
      : "is active now. ");
  }
  board.held[board.active]++;
  for (let user = 0; user < players; user++) {
    for (const p of positionsOf(user, article, wholeBits)) board.filters[user][p] = 1;
    for (const p of positionsOf(user, article, game.bits)) board.chains[user][board.active][p] = 1;
  }
  if (measured) board.rates[article] = measure();
  return happened + `Article ${article} is shown: link ${board.active + 1}, the active one, holds ${board.held[board.active]} of ${game.capacity}.`;
};

// answer returns what both report of an article.
const answer = article => {
  const link = linkSays(0, article), filter = filterSays(0, article);
  const seen = article <= board.shown;
  const verdict = says => says ? seen ? "seen" : "seen, a false positive" : seen ? "not seen: it is forgotten" : "not seen";
  return (seen ? `Article ${article} was shown ${board.shown - article === 0 ? "last" : board.shown - article + " before the last"}. ` : `Article ${article} was not shown. `) +
    `The filter: ${verdict(filter)}. The chain: ${verdict(link >= 0)}${link >= 0 ? `, in link ${link + 1}` : ""}.`;
};

// Places of the bits, made once.
const bitsOf = (box, n) => {
  box.replaceChildren(...Array.from({ length: n }, () => document.createElement("i")));
  return Array.from(box.children);
};
let filterBits, linkBoxes;
const lay = () => {
  filterBits = bitsOf(at("play-filter"), wholeBits);
  linkBoxes = Array.from({ length: game.links }, () => {
    const title = document.createElement("p"), bits = document.createElement("div");
    bits.className = "bits";
    bits.setAttribute("aria-hidden", "true");
    at("play-chain").append(title, bits);
    return { title, bits: bitsOf(bits, game.bits) };
  });
};

// paint shows the first user's bits, and marks the bits of the last article shown or asked about.
const paint = () => {
  if (!board) return;
  const marked = board.asked || board.shown;
  const mark = (bits, held, positions) => bits.forEach((b, p) => {
    b.className = (held[p] ? "set" : "") + (positions.includes(p) ? board.asked ? " asked" : " new" : "");
  });
  mark(filterBits, board.filters[0], marked ? positionsOf(0, marked, wholeBits) : []);
  const positions = marked ? positionsOf(0, marked, game.bits) : [];
  const link = board.asked ? linkSays(0, marked) : board.active; // -1: all links are outlined
  linkBoxes.forEach((box, i) => {
    const active = i === board.active;
    box.title.textContent = `Link ${i + 1}${active ? ", active" : ""}: ${board.held[i]} of ${game.capacity} articles`;
    box.title.className = active ? "active" : "";
    mark(box.bits, board.chains[0][i], link < 0 || i === link ? positions : []);
  });
  const [filter, chain] = board.rates[board.shown] || [NaN, NaN], known = board.held.reduce((a, b) => a + b);
  for (const [name, rate, formula, window] of [["filter", filter, game.filter, board.shown], ["chain", chain, game.chain, known]]) {
    const cells = at("play-rates").querySelector(`[data-of=${name}]`).cells;
    [cells[1].textContent, cells[2].textContent, cells[3].textContent] = [isNaN(rate) ? "–" : percent(rate), percent(formula[board.shown]), `the last ${window}`];
  }
  at("play-step").disabled = board.shown >= last;
  at("play-run").disabled = board.shown >= last;
  draw();
};

// draw draws both rates by articles shown: lines by the formula, dots as measured.
const draw = () => {
  const box = at("play-drawn"), width = Math.max(280, box.clientWidth), height = 200;
  const left = 48, right = width - 66, top = 8, bottom = height - 36;
  const x = n => left + (right - left) * n / last, y = rate => bottom - (bottom - top) * rate;
  box.setAttribute("viewBox", `0 0 ${width} ${height}`);
  let parts = [0, 0.25, 0.5, 0.75, 1].map(t => svgPath("axis", `M${left} ${y(t)}H${right}`) + svgText(left - 6, y(t) + 4, "end", percent(t))).join("") +
    [0, 1, 2, 3, 4].map(i => Math.round(i * last / 4)).map(n => svgText(x(n), bottom + 16, "middle", String(n))).join("") +
    svgText((left + right) / 2, bottom + 32, "middle", "articles shown");
  for (const [i, name] of ["filter", "chain"].entries()) {
    const formula = game[name];
    parts += svgPath(`formula ${name}`, "M" + formula.map((rate, n) => `${x(n).toFixed(1)} ${y(rate).toFixed(1)}`).join("L")) +
      svgText(right + 6, y(formula[last]) + 4, "start", name, "on") +
      board.rates.map((rates, n) => `<circle class="${name}" r="2.5" cx="${x(n).toFixed(1)}" cy="${y(rates[i]).toFixed(1)}"/>`).join("");
  }
  box.innerHTML = parts;
};

// say announces what happened. While articles come by themselves, it does so at most every two seconds, so that a
// screen reader can follow.
let saidAt = 0;
const say = (text, always) => {
  if (!always && performance.now() - saidAt < 2000) return;
  saidAt = performance.now();
  at("play-said").textContent = text;
};
const halt = () => {
  clearInterval(board.running);
  board.running = null;
  at("play-run").textContent = "Run";
  at("play-run").setAttribute("aria-pressed", "false");
};
const advance = () => {
  board.asked = 0;
  const happened = step(true);
  paint();
  const ends = board.shown >= last;
  say(happened + (ends ? ` That is all ${last}: start again.` : ""), ends || !board.running);
  if (ends) halt();
};
const run = () => {
  clearInterval(board.running);
  board.running = setInterval(advance, 300);
  at("play-run").textContent = "Pause";
  at("play-run").setAttribute("aria-pressed", "true");
};

// ready begins, once, when the playground comes near or is used, so that the page appears sooner. It shows some articles,
// and then queries one that was not shown and that both report as seen.
const ready = () => {
  if (board) return;
  begin();
  lay();
  while (board.shown < early) step(board.shown + 1 === early);
  board.asked = board.shown + 1;
  while (!filterSays(0, board.asked) || linkSays(0, board.asked) < 0) board.asked++;
  at("play-ask").value = board.asked;
  paint();
  say(answer(board.asked), true);
};
new IntersectionObserver((seen, watch) => {
  if (!seen.some(e => e.isIntersecting)) return;
  watch.disconnect();
  ready();
}, { rootMargin: "100%" }).observe(at("playground"));
for (const kind of ["click", "input"]) at("playground").addEventListener(kind, ready, true);

at("play-step").addEventListener("click", () => { halt(); advance(); });
at("play-run").addEventListener("click", () => {
  if (!board.running) return run();
  halt();
  say(`Paused after ${board.shown} articles.`, true);
});
at("play-reset").addEventListener("click", () => {
  halt();
  begin();
  at("play-ask").value = "";
  paint();
  say("Empty: no article was shown.", true);
});
at("play-ask").addEventListener("input", () => {
  const text = at("play-ask").value, article = Number(text);
  const good = Number.isInteger(article) && article >= 1 && article < unseenFrom;
  if (text !== "" && good) halt();
  board.asked = text !== "" && good ? article : 0;
  paint();
  say(board.asked ? answer(article) : text === "" ? "" : `There is no article ${text}: want a whole number from 1 on.`, true);
});

at("playground").hidden = false;
at("play-bits").textContent = wholeBits;
at("play-users").textContent = players;
