// Claims that hold the words, whatever their verdict; without words all, folded.

const filter = at("filter");
const judge = () => {
  if (!filter) return;
  const words = filter.value.toLowerCase().split(/\s+/).filter(w => w);
  let left = 0, sum = 0;
  for (const group of all(".verdict")) {
    let some = 0;
    for (const row of group.querySelectorAll("tbody tr")) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(w => text.includes(w));
      sum++;
      if (!row.hidden) some++;
    }
    group.hidden = words.length > 0 && some === 0;
    group.open = words.length > 0 && some > 0;
    left += some;
  }
  at("filtered").textContent = words.length ? `${left} of ${sum}` : "";
};
if (filter) {
  governField(filter);
  filter.parentElement.hidden = false;
  filter.addEventListener("input", () => { judge(); keep("verdicts"); });
}
