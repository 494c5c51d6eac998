// How a pair of sentences leaves the tab "Sentence lab": whatever asks (the button, Enter, an
// example, the choice of a picture) calls compare(), and one event sends what was asked last.
window.symdemo ??= {};
let number = Date.now(); // above that of an earlier page of the same session
window.symdemo.compare = (question) => {
  props.value = JSON.stringify({...question, number: ++number});
  trigger("input");
};
if (!window.comparesExamples) { // for the whole page, once
  window.comparesExamples = true;
  document.addEventListener("click", (event) => {
    const pressed = event.target.closest?.("[data-compare]");
    if (pressed) window.symdemo.compare({...JSON.parse(pressed.dataset.compare), shown: "first"});
  });
}
