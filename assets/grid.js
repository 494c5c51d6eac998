// The table of the Teach tab: plain input boxes, so that Tab, touch and screen readers work as
// everywhere.
//
// The value is JSON. The server sends {headers, rows: [[...], ...], ids, revision, answers}: "ids"
// are the ids of the stored rows, "answers" is the "seq" it answers (null replaces the whole
// table). The page sends headers, rows, ids and revision, "seq", which counts its changes, and
// "was", the cells of changed rows as they were received, by which the server merges the changes
// of two pages.
const WAIT = 500; // milliseconds without a key before the change is sent
const table = element.querySelector("table");
const headings = table.dataset.headings.split(" "); // of columns, in any table
const head = table.tHead, body = table.tBodies[0];
const undoBar = element.querySelector(".grid-undo");
const labels = element.querySelector("datalist");
const [emptyRow, answers] = element.querySelectorAll("template");
let headers = [], timer = null;
let base = new Map(); // id → the cells as received, as JSON
let revision = 0;
let seq = 0; // counts the changes on this page
let answered = 0; // the seq of the last answer
const gone = new Map(); // id of a row removed here → seq at that time
let taken = null; // what "Undo" restores

const boxes = (row) => [...row.querySelectorAll("input, textarea")];
const texts = (row) => boxes(row).map((box) => box.value);
const isBlank = (row) => texts(row).every((text) => !text.trim());
const boxAt = (row, column) => body.rows[row] && boxes(body.rows[row])[column];
const newId = () => Math.random().toString(36).slice(2, 12);

// What goes to the server
function keep() {
  const rows = [...body.rows], ids = rows.map((row) => row.dataset.id), was = {};
  const here = new Set(ids);
  rows.forEach((row) => {
    const old = base.get(row.dataset.id);
    if (old !== JSON.stringify(texts(row))) was[row.dataset.id] = old ? JSON.parse(old) : null;
  });
  base.forEach((old, id) => { if (!here.has(id)) was[id] = JSON.parse(old); });
  props.value = JSON.stringify({headers, rows: rows.map(texts), ids, was, revision, seq});
}
function tell(now) {
  clearTimeout(timer);
  timer = setTimeout(() => { timer = null; trigger("input"); }, now ? 0 : WAIT);
}
function changed(rows, now) {
  seq += 1;
  rows.forEach((row) => { row.changed = seq; });
  spare();
  number();
  keep();
  tell(now);
}

// Drawing
function number() {
  [...body.rows].forEach((row, place) => {
    row.cells[0].textContent = place + 1;
    boxes(row).forEach((box, column) => {
      box.setAttribute("aria-label", `Row ${place + 1}, ${headers[column]}`);
      box.dataset.at = `${place}-${column}`;
    });
    row.querySelector(".grid__out button").setAttribute("aria-label", `Remove row ${place + 1}`);
    const own = row.querySelector("[list]")?.value;
    row.querySelectorAll(".grid__answers button").forEach((answer) => {
      answer.setAttribute("aria-pressed", answer.value === own);
    });
  });
}
function fit(row) { // one box per column
  const last = row.cells[row.cells.length - 1];
  while (boxes(row).length > headers.length) last.previousSibling.remove();
  for (let column = boxes(row).length; column < headers.length; column++) {
    const name = headers[column]; // a text area shows a long text on several lines
    const box = symdemo.make(name === "Label" ? "input" : "textarea",
      {placeholder: name, maxLength: 2000, autocomplete: "off", spellcheck: false, rows: 1});
    const cell = row.insertBefore(document.createElement("td"), last);
    if (name === "Label") {
      box.setAttribute("list", labels.id);
      cell.append(answers.content.cloneNode(true)); // for a phone
    }
    cell.append(box);
  }
}
function write(row, cells, except) {
  boxes(row).forEach((box, column) => {
    const text = cells[column] ?? "";
    if (box.value !== text && box !== except) box.value = text;
  });
}
function add(cells, id, after) {
  const row = emptyRow.content.firstElementChild.cloneNode(true);
  row.dataset.id = id || newId();
  row.changed = 0;
  fit(row);
  write(row, cells);
  if (after === undefined) body.append(row);
  else body.insertBefore(row, after ? after.nextSibling : body.firstChild);
  return row;
}
function spare() {
  const last = body.rows[body.rows.length - 1];
  if (!last || !isBlank(last)) add([]);
}
function drawHead(names) {
  if (JSON.stringify(names) === JSON.stringify(headers)) return;
  headers = names;
  table.classList.toggle("grid--wide", headers.length > 4);
  head.replaceChildren();
  const titles = head.insertRow();
  for (const name of ["", ...headers, ""])
    titles.append(name ? symdemo.make("th", {scope: "col"}, name) : symdemo.make("td"));
  [...body.rows].forEach(fit);
}
function draw() {
  let value = {};
  try { value = JSON.parse(props.value || "{}"); } catch { /* draw an empty table */ }
  const cells = value.rows || [], ids = value.ids || [];
  if (value.answers == null) {
    seq = answered = seq + 1;
    drawHead(value.headers || []);
    body.replaceChildren();
    cells.forEach((texts, place) => add(texts, ids[place]));
    gone.clear();
    offerUndo(null);
  } else if (value.answers < answered
      || (value.answers === answered && value.revision < revision)) {
    keep(); // a later answer came first
    return;
  } else {
    drawHead(value.headers);
    settle(cells, ids, value.answers);
    answered = value.answers;
  }
  revision = value.revision || 0;
  base = new Map(ids.map((id, place) => [id, JSON.stringify(cells[place])]));
  spare();
  number();
  keep();
  if (seq > answered && timer === null) tell(true); // changed while the answer was on its way
}
function settle(cells, ids, known) { // apply an answer, except to rows changed since
  const theirs = new Map(ids.map((id, place) => [id, cells[place]]));
  const rows = [...body.rows];
  const isTheirs = (row) => theirs.has(row.dataset.id);
  const end = rows.findLastIndex((row) => isTheirs(row) || row.changed > known);
  rows.forEach((row, place) => {
    if (row.changed > known) return;
    // "no" becomes "contradiction", but not under the cursor: "north" may be on its way.
    const except = row.changed > answered ? document.activeElement : null;
    if (isTheirs(row)) write(row, theirs.get(row.dataset.id), except);
    else if (!isBlank(row) || (place < end && !row.contains(document.activeElement))) row.remove();
  });
  const drawnRows = new Map([...body.rows].map((row) => [row.dataset.id, row]));
  let before = null;
  ids.forEach((id) => {
    if (!drawnRows.has(id) && !(gone.get(id) > known)) {
      drawnRows.set(id, add(theirs.get(id), id, before));
    }
    before = drawnRows.get(id) || before;
  });
  gone.forEach((when, id) => { if (when <= known) gone.delete(id); });
  while (body.rows.length < cells.length) add([]);
}

// Removing rows, and undo
function offerUndo(what) {
  taken = what;
  undoBar.replaceChildren();
  if (!what) return;
  const button = symdemo.make("button", {type: "button", onclick: undo}, "Undo");
  undoBar.append(`Row ${what.place + 1} removed. `, button);
}
function takeOut(row) {
  const place = row.sectionRowIndex, blank = isBlank(row);
  gone.set(row.dataset.id, seq + 1);
  row.remove();
  changed([], true);
  offerUndo(blank ? null : {row, place});
  boxAt(Math.min(place, body.rows.length - 1), 0).focus();
}
function undo() {
  const {row, place} = taken;
  gone.delete(row.dataset.id);
  fit(row);
  body.insertBefore(row, body.rows[place] || null);
  offerUndo(null);
  changed([row], true);
  boxAt(row.sectionRowIndex, 0).focus();
}

// Events
function edited(event, now) {
  offerUndo(null);
  changed([event.target.closest("tr")], now);
}
function pressed(event) { // a key on the button at a row's end
  const row = event.target.closest("tr"), inRow = boxes(row);
  if (event.key === "Delete") takeOut(row);
  else if (event.key === "ArrowLeft") inRow[inRow.length - 1].focus();
  else return;
  event.preventDefault();
}
body.addEventListener("input", (event) => edited(event, false));
body.addEventListener("change", (event) => edited(event, true));
body.addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  const box = event.target, ctrl = event.ctrlKey || event.metaKey;
  if (box.tagName === "BUTTON") return pressed(event);
  if (!box.dataset.at) return;
  const [row, column] = box.dataset.at.split("-").map(Number);
  const atEnd = column === headers.length - 1 && box.selectionStart === box.value.length;
  const step = {Enter: 1, ArrowDown: 1, ArrowUp: -1}[event.key];
  if (ctrl && event.key === "Delete") takeOut(body.rows[row]);
  else if (ctrl && event.key === "z" && taken) undo();
  else if (event.key === "ArrowRight" && atEnd) body.rows[row].querySelector(".grid__out button").focus();
  else if (step && (!box.list || event.key === "Enter")) boxAt(row + step, column)?.focus();
  else return;
  event.preventDefault();
});
function take(text) { // lines under headings of their own: "Import" maps their columns
  document.querySelector("#import button.label-wrap:not(.open)")?.click();
  symdemo.when("#pasted textarea", (box) => { // it comes with the first opening
    box.value = text;
    box.dispatchEvent(new Event("input", {bubbles: true}));
    box.scrollIntoView({block: "center"});
  });
}
body.addEventListener("paste", (event) => { // a block of cells from a spreadsheet
  const given = event.clipboardData.getData("text"), text = given.replace(/[\r\n]+$/, "");
  if (!event.target.dataset.at || !/[\t\n]/.test(given)) return;
  event.preventDefault();
  const [row, column] = event.target.dataset.at.split("-").map(Number), filled = [];
  const lines = text.split(/\r?\n/), names = headers.map((name) => name.toLowerCase());
  // Commas part cells only where whole rows are pasted: sentences have commas of their own.
  const rows = column === 0 && !text.includes("\t") && lines.every((line) => line.split(",").length > 2);
  const sign = rows ? "," : "\t";
  const heads = lines[0].split(sign).map((cell) => cell.trim().toLowerCase());
  if (heads.every((cell) => names.includes(cell))) lines.shift();
  else if (heads.filter((cell) => headings.includes(cell.replace(/[\W_]+/g, ""))).length > 1)
    return take(text);
  lines.forEach((line, down) => {
    while (body.rows.length <= row + down) add([]);
    filled.push(body.rows[row + down]);
    line.split(sign).forEach((cell, right) => {
      const box = boxes(filled[down])[column + right];
      if (box) box.value = cell.trim();
    });
  });
  offerUndo(null);
  changed(filled, true);
});
body.addEventListener("click", ({target}) => {
  if (target.tagName !== "BUTTON") return;
  const row = target.closest("tr"), label = row.querySelector("[list]");
  if (!target.value) return takeOut(row);
  label.value = label.value === target.value ? "" : target.value; // none: type one of your own
  label.dispatchEvent(new Event("change", {bubbles: true}));
});
document.addEventListener("visibilitychange", () => { // another page may have changed the rows
  if (element.isConnected && !document.hidden && revision > 0) tell(true);
});
watch("value", draw);
draw();
