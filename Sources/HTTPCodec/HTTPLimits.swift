// SPDX-License-Identifier: MIT

/// What a parser accepts from the other side.
public struct HTTPLimits: Hashable, Sendable {
  /// The largest head in bytes: the first line, all header lines and their line ends.
  public var headBytes: Int
  /// The most header lines in a head, and the most trailer lines.
  public var headerLines: Int
  /// The most interim (1xx) answers before the final one.
  public var interimResponses: Int
  /// The longest chunk-size line in bytes, with its extensions.
  public var chunkLineBytes: Int
  /// The largest trailer section in bytes.
  public var trailerBytes: Int
  /// The largest body in bytes, without what chunking adds.
  public var bodyBytes: Int

  /// Makes limits, by default ones that no honest answer comes near.
  public init(
    headBytes: Int = 64 << 10,
    headerLines: Int = 128,
    interimResponses: Int = 10,
    chunkLineBytes: Int = 4 << 10,
    trailerBytes: Int = 16 << 10,
    bodyBytes: Int = 64 << 20
  ) {
    self.headBytes = headBytes
    self.headerLines = headerLines
    self.interimResponses = interimResponses
    self.chunkLineBytes = chunkLineBytes
    self.trailerBytes = trailerBytes
    self.bodyBytes = bodyBytes
  }
}
