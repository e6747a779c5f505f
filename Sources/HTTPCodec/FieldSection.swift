// SPDX-License-Identifier: MIT

/// Parses field lines up to the empty line: the headers or the trailers of a message.
struct FieldSection: Sendable {
  private(set) var headers = HTTPHeaders()
  private var bytesLeft: Int
  private var linesLeft: Int
  private let tooLarge: HTTPError

  /// `maxBytes` limits all lines together, including line ends; `tooLarge` is thrown beyond it.
  init(maxBytes: Int, maxLines: Int, tooLarge: HTTPError) {
    bytesLeft = maxBytes
    linesLeft = maxLines
    self.tooLarge = tooLarge
  }

  /// Takes one line without its end; the carriage return is optional (RFC 9112 section 2.2).
  mutating func takeLine(
    from input: inout InputBuffer
  ) throws(HTTPError) -> ArraySlice<UInt8>? {
    guard let line = try input.takeLine(atMost: bytesLeft, orThrow: tooLarge) else { return nil }
    bytesLeft -= line.count
    let text = line.dropLast()
    return text.last == UInt8(ascii: "\r") ? text.dropLast() : text
  }

  /// Consumes the available lines; returns whether the section is complete.
  mutating func read(from input: inout InputBuffer) throws(HTTPError) -> Bool {
    while let line = try takeLine(from: &input) {
      guard !line.isEmpty else { return true }
      guard linesLeft > 0 else { throw .tooManyHeaders }
      linesLeft -= 1
      try append(line)
    }
    return false
  }

  private mutating func append(_ line: ArraySlice<UInt8>) throws(HTTPError) {
    guard line.first?.isBlank == false else { throw .obsoleteFolding }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .headerWithoutColon }
    let name = line[..<colon]
    let value = line[(colon + 1)...].trimmed
    guard name.last?.isBlank != true else { throw .spaceBeforeColon }
    guard name.isToken else { throw .invalidHeaderName }
    guard value.allSatisfy(\.isFieldText) else { throw .invalidHeaderValue }
    headers.append(
      name: String(decoding: name, as: UTF8.self),
      value: String(decoding: value, as: UTF8.self)
    )
  }
}
