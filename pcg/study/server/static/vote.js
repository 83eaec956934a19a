// The page of a vote: a form is sent once, and digits choose answers of the first question.
const form = document.querySelector("form[data-once]");

form.addEventListener("submit", (event) => {
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "yes";
  form.querySelector("button[type=submit]").setAttribute("aria-disabled", "true");
});

window.addEventListener("pageshow", (event) => event.persisted && window.location.reload());

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("textarea, input[type=radio]")) return;
  const answer = form.querySelectorAll("fieldset:first-of-type .answers input")[Number(event.key) - 1];
  if (answer) {
    answer.checked = true;
    answer.focus();
  }
});

// What is missing is what one looks for.
form.querySelector("[aria-invalid=true] input")?.focus();
