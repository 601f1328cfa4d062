// Numbers and names as people read them, and tables as programs do.

/** Shorten a long text to what a line can show. */
export function shorten(text, most = 80) {
  const letters = Array.from(text.length > 4 * most ? text.slice(0, 4 * most) : text);
  return letters.length > most || text.length > 4 * most ? `${letters.slice(0, most).join("")}…` : text;
}

/** Write a number with about four digits. */
export function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return String(value);
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}

/** Write a share as a percentage. */
export function percent(share) {
  const value = 100 * share;
  if (value > 0 && value < 0.1) return "<0.1 %";
  return `${value >= 10 ? value.toFixed(0) : value.toFixed(1)} %`;
}

/** Write a count with its noun. */
export function count(many, one, more = `${one}s`) {
  return `${many.toLocaleString("en-GB")} ${many === 1 ? one : more}`;
}

/**
 * Write one cell of a CSV file. A text that a spreadsheet would take for a formula gets an apostrophe before it,
 * as spreadsheets themselves write such a text.
 */
export function cell(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  let text = String(value);
  if (/^[=@\t\r]/.test(text) || (/^[+-]/.test(text) && Number.isNaN(Number(text)))) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Write rows of values as CSV (RFC 4180). */
export function csv(rows) {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** Return up to `most` places of names that contain the query, whole and leading matches first. */
export function find(names, query, most) {
  const wanted = query.trim().toLocaleLowerCase();
  if (!wanted) return { hits: [], total: 0 };
  const ranked = [[], [], []];
  let total = 0;
  names.forEach((name, place) => {
    const at = name.toLocaleLowerCase().indexOf(wanted);
    if (at < 0) return;
    total += 1;
    ranked[at > 0 ? 2 : name.length === wanted.length ? 0 : 1].push(place);
  });
  return { hits: ranked.flat().slice(0, most), total };
}
