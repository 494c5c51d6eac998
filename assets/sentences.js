// Queries of the tab "Sentence lab": the button, Enter, an example and the choice of a picture all
// call compare(), and one event sends the latest query.
window.symdemo ??= {};
let number = Date.now(); // higher than in an earlier page of the same session
window.symdemo.compare = (query) => {
  props.value = JSON.stringify({...query, number: ++number});
  trigger("input");
};
if (!window.comparesExamples) { // for the whole page, once
  window.comparesExamples = true;
  document.addEventListener("click", (event) => {
    const pressed = event.target.closest?.("[data-compare]");
    if (pressed) window.symdemo.compare({...JSON.parse(pressed.dataset.compare), shown: "first"});
  });
}
