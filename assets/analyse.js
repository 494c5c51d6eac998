// The explorer of the tab "Analyse". Its state is one object, `view`; every press changes it and asks
// the server for the parts it touches, which come back as HTML. Their attributes say what a press does.
//
//   data-view    JSON merged into the view               data-row    a row to open
//   data-add     JSON: conditions to add                 data-drop   number of a condition to drop
//   data-query   JSON: a query that replaces the old one data-act    JSON: an action
//   data-widen   with data-add: another value for a condition on the same column
//   data-bind    an input that is part of the view       data-name   an input sent with data-act
const KEY = "symdemo-analysis";
const WAIT = 300; // milliseconds after the last key
const root = element.querySelector(".analyse");
const EMPTY = {analysis: "", model: "", versus: "", part: "overview", text: "", regex: false, query: {},
  page: 0, row: null, pinned: null, adding: "", kind: "pca", colour: "label", columns: []};
let view = null, number = 0, typing = null, again = null, shared = "";
let queried = "", drawnUnder = "", folded = "", lost = false;
let after = null; // runs once the next answer is drawn

const part = (name) => root.querySelector(`[data-part="${name}"]`);
const parse = (text) => { try { return JSON.parse(text); } catch { return null; } };

// This window's own analysis first, then the last one of this browser.
const STORES = [() => sessionStorage, () => localStorage];
function remembered() {
  for (const store of STORES) {
    try { const found = parse(store().getItem(KEY)); if (found?.analysis) return found; }
    catch { /* storage is off */ }
  }
  return null;
}
function keep() {
  const text = JSON.stringify(view ? {...view, shared} : {});
  for (const store of STORES)
    try { store().setItem(KEY, text); } catch { /* storage is off */ }
}

// Requests. Only the latest answer is drawn; text typed since then stays.
async function call(name, body) {
  try { return await server[name](JSON.stringify(body)); }
  catch { return {problem: "Couldn’t reach the server. Trying again.", lost: true, again: 4000}; }
}
async function look({polled = false, idle = false} = {}) {
  if (!view) return;
  clearTimeout(again);
  const mine = idle ? number : ++number;
  if (!polled) root.setAttribute("aria-busy", "true");
  const found = await call("analyse_look", {view, parts: idle ? [] : null});
  if (mine === number) settle(found, polled);
  else if (found.again) later(found.again); // else polling would stop
}
async function act(action, form) {
  clearTimeout(typing);
  say();
  const mine = ++number;
  queried = ""; // the action may change what the models are asked about the row
  root.setAttribute("aria-busy", "true");
  const found = await call("analyse_act", {view, action});
  if (found.parts) for (const box of form?.querySelectorAll("input[data-name]") || []) box.value = box.defaultValue;
  if (mine === number) {
    settle(found);
    if (view && view.row !== null && !queried && drawnUnder !== under()) lookUnder(["variants", "words"]);
  } else if (view) { // a newer request is under way: look again to show what was done
    const {parts, then, again: soon, map, ...effects} = found;
    settle(effects);
    look();
  }
}
// The parts of the open row that query models; they come after the rest.
const under = () => JSON.stringify([view.analysis, view.row, view.model, view.versus]);
async function lookUnder(parts) {
  const mine = under();
  if (queried === mine) return;
  queried = mine;
  if (drawnUnder !== mine) place("words", "");
  if (drawnUnder !== mine) place("variants", '<section class="card"><p class="quiet" role="status">Running the models …</p></section>');
  const found = await call("analyse_look", {view, parts});
  if (queried !== mine || !view || under() !== mine) return;
  queried = "";
  drawnUnder = mine;
  if (found.problem) place("variants", "");
  settle(found);
}
function later(milliseconds) {
  clearTimeout(again);
  again = setTimeout(() => {
    const seen = !document.hidden && root.offsetParent;
    if (element.isConnected) look({polled: true, idle: !seen});
  }, milliseconds);
}
function settle(found, polled = false) {
  root.removeAttribute("aria-busy");
  if (found.gone) return gone(found.problem);
  if (found.view) Object.assign(view, found.view);
  show();
  if (found.shared !== undefined) shared = found.shared;
  for (const [name, html] of Object.entries(found.parts || {})) place(name, html);
  if (found.problem || found.said) say(found.problem, found.said);
  else if (lost) say();
  lost = Boolean(found.lost);
  fill();
  if (found.map) drawMap(found.map);
  if (found.download) symdemo.save({url: fileUrl(found.download.path), orig_name: found.download.name});
  if (found.copy !== undefined) copyLink(found.copy);
  if (found.teach) symdemo.teachMany({rows: found.teach});
  if (found.then?.length && !(polled && drawnUnder === under())) lookUnder(found.then);
  if (found.again) later(found.again);
  keep();
  address();
  if (found.parts?.head === undefined && !found.problem) return; // a partial answer
  const next = after;
  after = null;
  if (!found.problem) next?.();
}
function gone(why) { // closed here or elsewhere, or expired
  clearTimeout(again);
  number += 1;
  view = after = null;
  shared = drawnUnder = "";
  keep();
  symdemo.remember({analysis: "", seen: ""});
  show(why);
}
// Show the explorer, or only a sentence if there is no analysis.
function show(sentence = "") {
  root.hidden = !view && !sentence;
  root.classList.toggle("an-bare", !view);
  if (!view) say(sentence);
  if (folded !== (view?.analysis || "")) // the setup is folded while there is an analysis
    document.querySelector(`#analyse-setup button.label-wrap${view ? ".open" : ":not(.open)"}`)?.click();
  folded = view?.analysis || "";
}
function place(name, html) {
  const box = part(name);
  if (!box || box.drawn === html) return;
  const held = box.contains(document.activeElement) ? document.activeElement : null;
  const at = held ? reachable(box).indexOf(held) : -1;
  const range = held && [held.selectionStart, held.selectionEnd];
  const typed = [...box.querySelectorAll("[data-name][data-key]")].filter((one) => one.value !== first(one));
  const open = [...box.querySelectorAll("details[open]")].map((one) => one.dataset.key);
  const left = box.querySelector(".scroll")?.scrollLeft;
  for (const plot of box.querySelectorAll(".js-plotly-plot")) window.Plotly?.purge(plot);
  box.innerHTML = html; // drawn by templates that escape every value
  box.drawn = html;
  for (const one of box.querySelectorAll("details"))
    if (one.dataset.key && open.includes(one.dataset.key)) one.open = true;
  if (left) box.querySelector(".scroll")?.scrollTo({left});
  for (const old of typed) { // keep typed text if the input still has the same default
    const same = keyed(box, old.dataset.key);
    if (same && first(same) === first(old)) same.value = old.value;
  }
  if (!held) return;
  const same = keyed(box, held.dataset.key) || reachable(box)[Math.min(at, reachable(box).length - 1)];
  (same || root.querySelector(".an-part[aria-current]"))?.focus({preventScroll: true});
  if (same?.matches("input[type=text]") && range[0] !== null) same.setSelectionRange(...range);
}
const keyed = (box, key) => key && box.querySelector(`[data-key="${CSS.escape(key)}"]`);
const reachable = (box) => [...box.querySelectorAll("button:enabled, input, select, summary")];
const first = (box) => box.defaultValue ?? [...box.options].find((one) => one.defaultSelected)?.value ?? box.options[0]?.value;
function say(problem, said) {
  const box = part("said");
  box.replaceChildren();
  if (!problem && !said) return;
  const line = symdemo.make("p", {className: problem ? "an-problem" : "an-said"}, problem || said);
  line.setAttribute("role", problem ? "alert" : "status");
  box.append(line);
  const {top} = line.getBoundingClientRect();
  if (top < 0 || top > innerHeight) line.classList.add("an-floats"); // the page is scrolled down
}

// The view
function change(patch) {
  view = {...view, ...patch, query: {...(patch.query || view.query)}};
  if (["query", "text", "regex", "model", "versus"].some((name) => name in patch)) view.page = 0;
  else if ("page" in patch) after = () => bring(part("main"));
  clearTimeout(typing);
  say();
  fill();
  look();
}
// Open a row. On narrow screens its detail lies below the rows, out of sight.
function openRow(row) {
  const from = view.row, held = part("detail").parentElement.contains(document.activeElement);
  if (row !== null && row === from) {
    bring(part("detail"));
    return part("detail").querySelector("button:enabled")?.focus({preventScroll: true});
  }
  const pressed = () => keyed(part("main"), `row-${from}`);
  after = row === null
    ? () => { if (held) pressed()?.focus({preventScroll: true}); if (!held || !beside()) bring(pressed()); }
    : () => bring(part("detail"));
  change({row});
}
const beside = () => part("main").getBoundingClientRect().right <= part("detail").getBoundingClientRect().left;
function bring(box) { // scroll into view if needed
  const {top, height} = box?.getBoundingClientRect() || {};
  if (height && (top < 0 || top > innerHeight * 0.8)) box.scrollIntoView({block: "start"});
}
const conditions = () => (Array.isArray(view.query.conditions) ? view.query.conditions : []);
function widen([more]) { // add a value to the condition on its column
  const plain = (one) => one.kind === "one_of" && !one.negated && one.column === more.column;
  const values = conditions().filter(plain).flatMap((one) => one.values);
  const all = [...new Set([...values, ...more.values])];
  const others = conditions().filter((one) => !plain(one));
  change({query: {...view.query, conditions: [...others, {...more, values: all}]}});
}
function add(more, patch = {}) {
  const known = conditions().map((one) => JSON.stringify(one));
  const fresh = more.filter((one) => !known.includes(JSON.stringify(one)));
  change({adding: "", query: {...view.query, conditions: [...conditions(), ...fresh]}, ...patch});
}
// Show the rows of a pressed number or group, and move the keyboard there.
function toRows(go) {
  go();
  after = () => {
    root.querySelector("#analyse-rows").focus({preventScroll: true});
    bring(root.querySelector(".an-parts"));
  };
}
function fill() { // show the view in the static inputs
  for (const box of root.querySelectorAll("[data-static] [data-bind]")) {
    const value = view[box.dataset.bind];
    if (box.type === "checkbox") box.checked = Boolean(value);
    else if (document.activeElement !== box) box.value = value || "";
  }
  for (const button of root.querySelectorAll(".an-part"))
    if (button.id === `analyse-${view.part}`) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
}

// The address holds the view but not the secret id of the workspace: built-in sets go by name.
function address() {
  if (!root.offsetParent) return; // the address belongs to another open tab
  const {analysis, ...rest} = view;
  const plain = Object.fromEntries(Object.entries(rest).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(EMPTY[name])));
  symdemo.remember({analysis: shared, seen: Object.keys(plain).length
    ? btoa(unescape(encodeURIComponent(JSON.stringify(plain)))) : ""});
}
function fromAddress() {
  const here = new URLSearchParams(location.search);
  const seen = here.get("seen");
  let plain = {};
  try { plain = seen ? parse(decodeURIComponent(escape(atob(seen)))) || {} : {}; } catch { /* none */ }
  return {analysis: here.get("analysis") || "", seen: plain};
}
async function copyLink(name) {
  const link = new URL(symdemo.link());
  link.searchParams.set("analysis", name);
  const own = name.startsWith("read.")
    ? " Whoever has it can read this analysis with your notes, and change nothing. Closing the analysis ends that." : "";
  try { await navigator.clipboard.writeText(link.href); say("", `Link copied.${own}`); }
  catch { say("", `The link: ${link.href}${own}`); }
}
const fileUrl = (path) => `${gradio_config.root}${gradio_config.api_prefix}/file=${path}`;

// Presses
root.addEventListener("click", (event) => {
  const pressed = event.target.closest("[data-view], [data-add], [data-drop], [data-query], [data-row], [data-act]");
  if (!pressed || pressed.matches("select, input") || pressed.disabled) return;
  const data = pressed.dataset, inMain = part("main").contains(pressed);
  if (data.row !== undefined) openRow(data.row === "" ? null : Number(data.row));
  else if (data.view) change(parse(data.view));
  else if (data.add && inMain) toRows(() => add(parse(data.add), {part: "rows"}));
  else if ("widen" in data) widen(parse(data.add));
  else if (data.add) add(parse(data.add));
  else if (data.query && inMain) toRows(() => change({query: parse(data.query), text: "", regex: false, part: "rows"}));
  else if (data.query) change({query: parse(data.query), text: "", regex: false, part: "rows"});
  else if (data.drop !== undefined)
    change({query: {...view.query, conditions: conditions().filter((_, at) => at !== Number(data.drop))}});
  else if (data.act && (!data.sure || confirm(data.sure)))
    act({...parse(data.act), ...named(pressed)}, pressed.closest("[data-form]"));
});
const valueOf = (box) => (box.type === "checkbox" ? box.checked : box.value);
function named(pressed) { // the inputs beside a pressed button
  const boxes = pressed.closest("[data-form]")?.querySelectorAll("[data-name]") || [];
  return Object.fromEntries([...boxes].map((box) => [box.dataset.name, valueOf(box)]));
}
root.addEventListener("input", (event) => {
  const box = event.target, name = box.dataset.bind;
  if (!name || box.matches("select, [type=checkbox]")) return;
  view[name] = box.value;
  view.page = 0;
  say();
  clearTimeout(typing);
  typing = setTimeout(() => look(), WAIT);
});
root.addEventListener("change", (event) => {
  const box = event.target;
  if (box.dataset.bind && box.matches("select, [type=checkbox]"))
    change({[box.dataset.bind]: valueOf(box)});
  else if (box.matches("select[data-act], input[data-act]"))
    act({...parse(box.dataset.act), ...named(box), value: valueOf(box)});
});
root.addEventListener("keydown", (event) => {
  const box = event.target;
  if (event.key === "Enter" && box.matches("[data-form] input")) {
    event.preventDefault();
    box.closest("[data-form]").querySelector("[data-enter]")?.click();
  }
});
document.addEventListener("keydown", (event) => {
  const box = event.target;
  if (event.key !== "Escape" || !root.offsetParent || (view?.row ?? null) === null) return;
  if (box === document.body || (root.contains(box) && !box.matches("input, select"))) openRow(null);
});
// On narrow screens the rows are cards.
new ResizeObserver(([{contentRect}]) => {
  if (contentRect.width) root.classList.toggle("an-narrow", contentRect.width < 640);
}).observe(part("main"));

// Opening
function open(found) {
  clearTimeout(again);
  view = {...EMPTY, ...found, query: {...found.query}};
  queried = drawnUnder = "";
  say();
  return look();
}
watch("value", () => { // the server opened an analysis
  const value = parse(props.value || "{}") || {};
  if (!value.analysis) return;
  folded = value.analysis; // the server folded the setup
  after = () => bring(root);
  open({analysis: value.analysis, ...(value.seen || {})});
});
(async () => {
  const linked = fromAddress(), kept = remembered();
  const same = kept && (!linked.analysis || linked.analysis === kept.shared);
  if (same) {
    await open(linked.analysis ? {...linked.seen, analysis: kept.analysis} : kept);
    if (view || !linked.analysis) return;
  }
  if (!linked.analysis) return;
  const found = await call("analyse_open", {shared: linked.analysis});
  if (found.analysis) return open({...linked.seen, analysis: found.analysis});
  if (kept && !same) await open(kept);
  if (view) say(found.problem);
  else show(found.problem);
})();
