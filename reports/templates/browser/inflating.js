// Reads the deflated data that the page embeds; the charts' script has it too.

/** Inflate an element's text, base64 of zlib's format; returns a promise of an ArrayBuffer. */
function inflate(element) {
  const text = atob(element.textContent);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}
