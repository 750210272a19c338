// Reads the blocks of bytes that the page embeds; the charts' script has it too.

/** Inflate an element's text: 7 bits a character, the upper ones for characters that HTML can't hold. */
async function inflate(element) {
  const text = element.textContent;
  const bytes = new Uint8Array((text.length * 7) >> 3);
  for (let k = 0, place = 0, held = 0, bits = 0; k < text.length; k++) {
    held = (held << 7) | (text.charCodeAt(k) & 127);
    bits += 7;
    if (bits < 8) continue;
    bits -= 8;
    bytes[place++] = held >> bits;
  }
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}
