// How acts get to the server: in batches, in order, kept until it has confirmed them.
//
// An act is {at, kind, cells, values}, as POST /api/study/moves takes it. Acts of an attempt are counted; a batch says
// which number its first one has. So the same batch may be sent again after a reply was lost, even by another page.

const EVERY = 3000; // milliseconds that acts wait for others
const MOST_SENT = 30_000; // characters of a batch; browsers send up to 65,536 for a page that is being left
const FIRST_WAIT = 1000; // milliseconds until the second try
const LONGEST_WAIT = 15_000; // ... and between later ones
const ANSWER_WAIT = 20_000; // milliseconds that a server may take

const UNSAVED = "Not saved yet: trying again";
const UNREACHED = "The server can’t be reached: trying again";

/** Ask until the server answers, while the page says `words`. Throws what the server refuses. */
async function patiently(act, words) {
  const line = document.getElementById("saving");
  for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
    try {
      const answer = await act();
      line.textContent = "";
      return answer;
    } catch (error) {
      line.textContent = isSilence(error) ? words : "";
      if (!isSilence(error)) throw error;
      await pause(wait);
    }
  }
}

/** Whether a server that refuses may well not refuse later: it can't be reached, has failed, or has no time. */
function isSilence(error) {
  return error instanceof Refusal && (error.status === null || error.status === 408 || error.status >= 500);
}

/** Wait, but no longer than until there is a network again. */
function pause(milliseconds) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    addEventListener("online", end);
  });
}

/** As many of the first acts as one request may have. */
function batchOf(acts) {
  let size = 0;
  const count = acts.findIndex((act) => (size += JSON.stringify(act).length) > MOST_SENT);
  return count === -1 ? acts : acts.slice(0, Math.max(1, count));
}

function sendBatch({ secret, number, first }, acts, keepalive = false) {
  return ask("POST", "study/moves", { secret, number, first, acts }, { keepalive, signal: AbortSignal.timeout(ANSWER_WAIT) });
}

/** Send what an earlier page, or another tab, has left unsent. If the server has no use for it, it is forgotten. */
async function deliver(secret) {
  const left = unsentOf(secret);
  try {
    while (left?.acts.length) {
      const acts = batchOf(left.acts);
      await patiently(() => sendBatch(left, acts), UNSAVED);
      left.first += acts.length;
      left.acts.splice(0, acts.length);
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  write(UNSENT, null);
}

/** The acts of an attempt that the server has not confirmed. */
class Outbox {
  /**
   * secret, number   whose attempt it is, and which
   * first            the number of the next act
   * act              {ended(answer), refused(error)}: what to do when the attempt has ended, or can't go on here
   */
  constructor(secret, number, first, act) {
    Object.assign(this, { secret, number, first, act });
    this.acts = [];
    this.sent = first; // the number after the last act that was ever sent
    this.goal = first; // the number after the last one that is to be sent now
    this.timer = null;
    this.sending = false;
    this.closed = false;
  }

  /** Take an act; the last one of an attempt is sent at once. */
  add(act, last = false) {
    this.acts.push(act);
    this.save();
    if (last) this.send();
    else this.arm();
  }

  save() {
    const { secret, number, first, acts } = this;
    write(UNSENT, acts.length ? { secret, number, first, acts } : null);
  }

  arm() {
    this.timer ??= setTimeout(() => this.send(), EVERY);
  }

  /** Send all that is there. */
  send() {
    clearTimeout(this.timer);
    this.timer = null;
    this.goal = this.first + this.acts.length;
    if (!this.sending) return this.go();
  }

  async go() {
    this.sending = true;
    try {
      while (!this.closed && this.first < this.goal) {
        this.confirm(await patiently(() => (this.closed || !this.acts.length ? null : this.post()), UNSAVED));
      }
    } catch (error) {
      this.refuse(error);
    }
    this.sending = false;
    if (this.acts.length && !this.closed) this.arm();
  }

  post(keepalive = false) {
    const acts = batchOf(this.acts);
    this.sent = Math.max(this.sent, this.first + acts.length);
    return sendBatch(this, acts, keepalive);
  }

  /** The page is hidden or left: send what is there without waiting for others, though a reply may never come. */
  async leave() {
    if (this.closed || !this.acts.length) return;
    await this.post(true).then((answer) => this.confirm(answer)).catch(() => null); // it is still there to be sent again
  }

  confirm(answer) {
    if (this.closed || answer === null) return;
    const { kept, ended } = answer;
    if (kept > this.sent || ended === "left") return this.refuse(new Refusal("The attempt has gone on elsewhere.", 409));
    this.acts.splice(0, Math.max(0, kept - this.first));
    this.first = Math.max(this.first, kept);
    this.save();
    if (!ended) return;
    this.close();
    this.act.ended(answer);
  }

  /** What is left is of no use to the server. */
  refuse(error) {
    if (this.closed) return;
    this.close();
    write(UNSENT, null);
    this.act.refused(error);
  }

  /** Send nothing more from here; what is unsent stays in the browser. */
  close() {
    this.closed = true;
    clearTimeout(this.timer);
  }
}
