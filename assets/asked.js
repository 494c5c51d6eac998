// The questions of this window, newest first, and the pinned ones side by side. They are kept in the
// window alone (sessionStorage): two windows never mix, and nothing is sent.
const KEY = "symdemo-asked", MOST = 30;
const root = element.querySelector(".questions"), {make} = symdemo;
let asked = [];
try { asked = JSON.parse(sessionStorage.getItem(KEY)) || []; } catch { /* start empty */ }

function keep() {
  try { sessionStorage.setItem(KEY, JSON.stringify(asked)); } catch { /* no room: not kept */ }
  draw();
}
const same = (a, b) => ["premise", "hypothesis", "model"].every((name) => a[name] === b[name]);

function entry(found) {
  const name = found.in_scope ? found.label : "not judged";
  const share = found.in_scope ? `${Math.round(100 * found.share)}%${found.sure ? "" : ", not sure"}` : "";
  const again = make("button", {type: "button", className: "asked__pair"},
    make("span", {}, found.premise), make("span", {}, found.hypothesis));
  again.dataset.ask = JSON.stringify({sentence: found.premise, hypothesis: found.hypothesis, fill: true});
  again.title = "Ask again";
  const pin = make("button", {type: "button", className: "asked__pin",
    textContent: found.pinned ? "Unpin" : "Pin"});
  pin.setAttribute("aria-label", `${pin.textContent}: ${found.premise}`);
  pin.addEventListener("click", () => { found.pinned = !found.pinned; keep(); });
  const sign = make("span", {}, found.sign);
  sign.setAttribute("aria-hidden", "true");
  const tag = make("span", {className: `tag tag--${found.style}`}, sign, ` ${name}`);
  return make("li", {className: found.pinned ? "pin" : ""}, again,
    make("p", {className: "asked__facts"}, tag, ` ${share} · ${found.title} `, pin));
}
function draw() {
  const pinned = asked.filter((found) => found.pinned);
  const others = asked.filter((found) => !found.pinned);
  root.replaceChildren();
  if (pinned.length) root.append(make("h2", {}, "Pinned"),
    make("ul", {className: "pins"}, ...pinned.map(entry)));
  if (others.length > 1) {
    const clear = make("button", {type: "button", className: "choice"}, "Clear the list");
    clear.addEventListener("click", () => { asked = pinned; keep(); });
    const list = make("details", {className: "card"},
      make("summary", {}, `Asked before (${others.length})`),
      make("ul", {className: "asked__list"}, ...others.map(entry)), clear);
    list.open = open;
    list.addEventListener("toggle", () => { open = list.open; });
    root.append(list);
  }
}
let open = false;
function listen(found) {
  const before = asked.find((other) => same(other, found));
  const pinned = Boolean(before?.pinned);
  asked = [{...found, pinned}, ...asked.filter((other) => !same(other, found))];
  const extra = asked.filter((other) => !other.pinned).slice(MOST);
  asked = asked.filter((other) => !extra.includes(other));
  keep();
}
symdemo.listeners.push(listen);
draw();
