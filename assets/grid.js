// The table of the tab "Teach": plain input boxes, so that Tab, touch and screen readers work as
// they do everywhere. The value is JSON: {"headers": [...], "rows": [[...], ...]}.
const WAIT = 500; // milliseconds without a key after which the server is told
const table = element.querySelector("table");
const head = table.tHead, body = table.tBodies[0];
const labels = element.querySelector("datalist");
labels.id = "labels-" + Math.random().toString(36).slice(2);
let headers = [], timer = null;

const read = () => [...body.rows].map((row) => [...row.querySelectorAll("input")].map((box) => box.value));
const isBlank = (row) => [...row.querySelectorAll("input")].every((box) => !box.value.trim());

function keep() {
  props.value = JSON.stringify({headers, rows: read()});
}
function tell(now) {
  keep();
  clearTimeout(timer);
  timer = setTimeout(() => { timer = null; trigger("input"); }, now ? 0 : WAIT);
}
function number() {
  [...body.rows].forEach((row, place) => {
    row.cells[0].textContent = place + 1;
    row.querySelectorAll("input").forEach((box, column) => {
      box.setAttribute("aria-label", `Row ${place + 1}, ${headers[column]}`);
      box.dataset.at = `${place}-${column}`;
    });
    row.querySelector("button").setAttribute("aria-label", `Take out row ${place + 1}`);
  });
}
function add(texts) {
  const row = body.insertRow();
  row.insertCell().className = "grid__number";
  headers.forEach((name, column) => {
    const box = document.createElement("input");
    Object.assign(box, {type: "text", value: texts[column] ?? "", placeholder: name, maxLength: 2000,
      autocomplete: "off", spellcheck: false});
    if (name === "Label") box.setAttribute("list", labels.id);
    row.insertCell().append(box);
  });
  const out = document.createElement("button");
  Object.assign(out, {type: "button", textContent: "×", title: "Take out this row"});
  const last = row.insertCell();
  last.className = "grid__out";
  last.append(out);
  return row;
}
function spare() {
  const last = body.rows[body.rows.length - 1];
  if (!last || !isBlank(last)) add([]);
}
function draw() {
  let value = {};
  try { value = JSON.parse(props.value || "{}"); } catch { /* an empty table is drawn */ }
  headers = value.headers || [];
  table.classList.toggle("grid--wide", headers.length > 4);
  head.replaceChildren();
  const titles = head.insertRow();
  for (const name of ["", ...headers, ""]) {
    const title = document.createElement(name ? "th" : "td");
    if (name) title.scope = "col";
    title.textContent = name;
    titles.append(title);
  }
  body.replaceChildren();
  (value.rows || []).forEach(add);
  spare();
  number();
}
function boxAt(row, column) {
  return body.rows[row]?.querySelectorAll("input")[column];
}

body.addEventListener("input", () => {
  const before = body.rows.length;
  spare();
  if (body.rows.length > before) number();
  tell(false);
});
body.addEventListener("change", () => tell(true));
body.addEventListener("keydown", (event) => {
  if (!event.target.dataset.at || event.isComposing) return;
  const [row, column] = event.target.dataset.at.split("-").map(Number);
  const step = {Enter: 1, ArrowDown: 1, ArrowUp: -1}[event.key];
  if (!step || (event.target.list && event.key !== "Enter")) return;
  event.preventDefault();
  boxAt(row + step, column)?.focus();
});
body.addEventListener("paste", (event) => { // a block of cells from a spreadsheet
  const text = event.clipboardData.getData("text").replace(/[\r\n]+$/, "");
  if (!event.target.dataset.at || !/[\t\n]/.test(text)) return;
  event.preventDefault();
  const [row, column] = event.target.dataset.at.split("-").map(Number);
  text.split(/\r?\n/).forEach((line, down) => {
    while (body.rows.length <= row + down) add([]);
    line.split("\t").forEach((cell, right) => {
      const box = boxAt(row + down, column + right);
      if (box) box.value = cell.trim();
    });
  });
  spare();
  number();
  tell(true);
});
body.addEventListener("click", (event) => {
  if (event.target.tagName !== "BUTTON") return;
  const row = event.target.closest("tr"), place = row.sectionRowIndex;
  row.remove();
  spare();
  number();
  boxAt(Math.min(place, body.rows.length - 1), 0).focus();
  tell(true);
});
watch("value", draw);
draw();
