// Unpacks the page that it is in, and starts the scripts that were packed.

const PACK = document.getElementById("pack").textContent.trim();
try {
  const chars = atob(PACK), packed = new Uint8Array(chars.length);
  for (let k = 0; k < chars.length; k++) packed[k] = chars.charCodeAt(k);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const data = new Uint8Array(await new Response(stream).arrayBuffer());
  const text = (from, to) => new TextDecoder().decode(data.subarray(from, to));
  const [script, about] = document.getElementById("pack").dataset.parts.split(" ").map(Number);
  window.pcg = { about: JSON.parse(text(script, script + about)), data: data.subarray(script + about) };
  const element = document.createElement("script");
  element.type = "module";
  element.textContent = text(0, script);
  document.head.append(element);
} catch (error) {
  document.querySelector("noscript").insertAdjacentHTML("afterend", document.querySelector("noscript").textContent);
  throw error;
}
