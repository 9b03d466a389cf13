/** What a handler returns instead of a value to send a text of any length, piece by piece, never all of it in memory. */
export class Download {
  readonly contentType: string;
  /** What browsers save it as. */
  readonly fileName: string;
  readonly pieces: AsyncIterable<string>;

  constructor(options: { contentType: string; fileName: string; pieces: AsyncIterable<string> }) {
    this.contentType = options.contentType;
    this.fileName = options.fileName;
    this.pieces = options.pieces;
  }
}
