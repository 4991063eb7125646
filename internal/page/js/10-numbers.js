"use strict";
// The page's script: these files, in the order of their names, share one scope. They contain no formula of a structure:
// the page holds the expected values, computed before.

const at = id => document.getElementById(id);
const all = selector => Array.from(document.querySelectorAll(selector));
const theory = JSON.parse(at("theory").textContent);
const space = "\u00a0"; // a number and its unit stay together

// Numbers for people, to three digits. A tie goes up, whatever binary fractions make of it.
const three = v => String(Number((v * (1 + 1e-12)).toPrecision(3)));
const percent = v => v === 0 ? "0" : v < 1e-9 ? "≈" + space + "0" : three(100 * v) + space + "%";
const bytes = v => {
  for (const [unit, size] of [["PB", 1e15], ["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["kB", 1e3]]) {
    if (v >= 0.9995 * size) return three(v / size) + space + unit;
  }
  return v + space + "B";
};
const grouped = (n, by) => String(n).replace(/\B(?=(\d{3})+$)/g, by);
const people = n => n >= 1e9 ? n / 1e9 + space + "billion" : n >= 1e6 ? n / 1e6 + space + "million" : grouped(n, ",");
const count = n => grouped(n, "\u202f");

// Numbers as people write them, and as the program's flags take them: 30M, 30 million, 3e7 or 30,000,000; 2% or 0.02;
// 8GB or 8GiB. An unreadable number is an Error that says what would work.
const suffixes = {
  count: { "": 1, k: 1e3, thousand: 1e3, m: 1e6, million: 1e6, billion: 1e9 },
  rate: { "": 1, "%": 0.01, percent: 0.01 },
  size: { b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12, pb: 1e15, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30, tib: 2 ** 40 },
};
const amount = (text, kind, example) => {
  const wrong = why => Error(`“${text}” ${why}, want ${example}`);
  const [, digits, suffix] = /^([-+]?[\d.,_\s\u202f]*(?:e[-+]?\d+)?)\s*([a-z%]*)$/i.exec(text.trim()) || [];
  if (!digits) throw wrong("is not a number");
  const plain = digits.trim().replace(/(\d)[,_\s\u202f](?=\d{3}(?!\d))/g, "$1"); // groups of three
  if (plain === "" || isNaN(plain)) throw wrong("is not a number");
  const times = suffixes[kind][suffix.toLowerCase()];
  if (times === undefined) throw wrong(suffix ? `has the unit ${suffix}` : "has no unit");
  return times === 0.01 ? Number(plain) / 100 : Number(plain) * times;
};
