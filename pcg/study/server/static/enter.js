// The token comes behind the # of the link, which no server sees; it is sent once, and taken out of the address.
const given = window.location.hash.slice(1);
if (given) {
  window.history.replaceState(null, "", window.location.pathname);
  document.getElementById("researcher").value = given;
  document.getElementById("enter").requestSubmit();
}
