// SPDX-License-Identifier: MIT

/// The limits of a parser.
public struct HTTPLimits: Hashable, Sendable {
  /// The maximum size of the head in bytes: first line, header lines and their line ends.
  public var headBytes: Int
  /// The maximum number of header lines in a head, and of trailer lines.
  public var headerLines: Int
  /// The maximum number of interim (1xx) responses before the final one.
  public var interimResponses: Int
  /// The maximum length of a chunk-size line in bytes, including extensions.
  public var chunkLineBytes: Int
  /// The maximum size of the trailer section in bytes.
  public var trailerBytes: Int
  /// The maximum size of the body in bytes, without chunking.
  public var bodyBytes: Int

  /// Creates limits; the defaults are far above any legitimate response.
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
