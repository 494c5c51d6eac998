// Run axe-core; hundreds of rows take nearly all the time, so those that look like three before
// them are left out.
const [rules, done] = arguments;
const look = e => [e.tagName, ...["class", "style", "role", "disabled", "aria-current",
  "aria-pressed", "aria-selected"].map(name => e.getAttribute(name))];
const alike = [...document.querySelectorAll("tbody")].flatMap(body => {
  const seen = {};
  return [...body.rows].filter(row => {
    const looks = JSON.stringify([row, ...row.querySelectorAll("*")].map(look));
    return !row.hidden && (seen[looks] = (seen[looks] || 0) + 1) > 3;
  });
});
const hide = hidden => alike.forEach(row => { row.hidden = hidden; });
hide(true);
axe.run(document.body, {runOnly: rules, resultTypes: ["violations"]})
  .then(found => found.violations, String)
  .then(found => { hide(false); done(found); });
