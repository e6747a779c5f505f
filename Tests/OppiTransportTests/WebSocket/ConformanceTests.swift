// SPDX-License-Identifier: MIT

import Testing

@Suite("WebSocketStream, by RFC 6455")
struct ConformanceTests {
  @Test(
    "a client conforms to RFC 6455, however the server's bytes are split",
    arguments: ConformanceCase.all
  )
  func conforms(row: ConformanceCase) throws {
    for cutting in Cutting.allCases {
      let conduct = try row.play(cutting: cutting)
      #expect(conduct == row.conduct, "\(row.number), \(cutting)")
    }
  }

  @Test("each case has a unique number")
  func numbers() {
    let numbers = ConformanceCase.all.map(\.number)
    #expect(Set(numbers).count == numbers.count)
  }
}

/// The bytes of a server after the handshake, and the conduct that RFC 6455 requires of the client.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
  /// The number of the case; its first part is the chapter.
  let number: String
  let title: String
  let sent: [Sent]
  let conduct: Conduct

  init(_ number: String, _ title: String, _ sent: [Sent], _ conduct: Conduct) {
    (self.number, self.title, self.sent, self.conduct) = (number, title, sent, conduct)
  }

  typealias Row = (title: String, sent: [Sent], conduct: Conduct)

  /// Numbers the cases of a chapter or a section.
  static func chapter(_ number: String, _ rows: [Row]) -> [ConformanceCase] {
    rows.enumerated().map { index, row in
      ConformanceCase("\(number).\(index + 1)", row.title, row.sent, row.conduct)
    }
  }

  var testDescription: String { "\(number) \(title)" }

  /// The server's bytes, with a close frame unless the client must end the connection.
  var bytes: [UInt8] {
    let ending: [Sent] = conduct.isPeerToClose ? [.close(1000)] : []
    return (sent + ending).flatMap(\.bytes)
  }

  static let all: [ConformanceCase] =
    framing + chapter("2", pings) + reservedBits + opcodes + fragmentation + utf8 + closing + sizes
    + chapter("10", mixtures)
}

struct Conduct: Sendable, Equatable, CustomTestStringConvertible {
  /// The end of the connection as reported to the user.
  enum End: Sendable, Equatable {
    /// Closed by the server, with its code and reason if sent.
    case closed(UInt16?, String)
    /// Failed by the client with a code, after a protocol violation.
    case failed(UInt16)
    /// Ended without a close frame or a violation.
    case cut
  }

  /// A frame from the client.
  enum Answer: Sendable, Equatable {
    case pong([UInt8])
    case close(UInt16?)
    /// Any other frame, by its opcode.
    case other(UInt8)
  }

  /// The texts that the user receives.
  var texts: [[UInt8]]
  var end: End
  var answers: [Answer]
  fileprivate(set) var isPeerToClose = false

  init(texts: [[UInt8]], end: End, answers: [Answer]) {
    (self.texts, self.end, self.answers) = (texts, end, answers)
  }

  /// Receives texts, answers pings and answers the server's close frame.
  static func goesOn(_ texts: [String] = [], pongs: [[UInt8]] = []) -> Conduct {
    goesOn(bytes: texts.map { Array($0.utf8) }, pongs: pongs)
  }

  static func goesOn(bytes texts: [[UInt8]], pongs: [[UInt8]] = []) -> Conduct {
    var conduct = closes(1000)
    conduct.texts = texts
    conduct.answers = pongs.map(Answer.pong) + conduct.answers
    conduct.isPeerToClose = true
    return conduct
  }

  /// Fails the connection with a code, after handling all earlier frames.
  static func fails(
    _ code: UInt16,
    telling texts: [String] = [],
    pongs: [[UInt8]] = []
  ) -> Conduct {
    Conduct(
      texts: texts.map { Array($0.utf8) },
      end: .failed(code),
      answers: pongs.map(Answer.pong) + [.close(code)]
    )
  }

  /// Answers the server's close frame with its code, reports it, and sends nothing more.
  static func closes(
    _ code: UInt16?,
    _ reason: String = "",
    telling texts: [String] = []
  ) -> Conduct {
    Conduct(
      texts: texts.map { Array($0.utf8) },
      end: .closed(code, reason),
      answers: [.close(code)]
    )
  }

  static func == (left: Conduct, right: Conduct) -> Bool {
    left.texts == right.texts && left.end == right.end && left.answers == right.answers
  }

  /// Shortens long texts.
  var testDescription: String {
    let shown = texts.map { text in
      text.count > 40 ? "\(text.count) bytes" : "'\(String(decoding: text, as: UTF8.self))'"
    }
    return "\(shown), \(end), \(answers)"
  }
}

/// Bytes of a server, written without the encoder under test.
struct Sent: Sendable {
  /// The encoding of a frame's length.
  enum Length {
    case shortest
    case twoBytes
    case eightBytes
    /// A stated length, regardless of the bytes that follow.
    case announced(UInt64)
  }

  let bytes: [UInt8]

  /// Any frame, valid or not.
  static func frame(
    _ opcode: UInt8,
    _ payload: [UInt8] = [],
    isFinal: Bool = true,
    reserved: UInt8 = 0,
    length: Length = .shortest,
    mask: [UInt8]? = nil
  ) -> Sent {
    var bytes = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
    let masked: UInt8 = mask == nil ? 0 : 0x80
    let number: UInt64
    if case .announced(let announced) = length {
      number = announced
    } else {
      number = UInt64(payload.count)
    }
    switch length {
    case .shortest where number < 126, .announced where number < 126:
      bytes.append(masked | UInt8(number))
    case .shortest where number < 65536, .twoBytes,
      .announced where number < 65536:
      bytes += [masked | 126, UInt8(number >> 8), UInt8(number & 0xFF)]
    case .shortest, .eightBytes, .announced:
      bytes.append(masked | 127)
      bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    guard let mask else { return Sent(bytes: bytes + payload) }
    bytes += mask + payload.enumerated().map { index, byte in byte ^ mask[index % 4] }
    return Sent(bytes: bytes)
  }

  static func text(_ text: String, isFinal: Bool = true) -> Sent {
    frame(1, Array(text.utf8), isFinal: isFinal)
  }

  static func binary(_ bytes: [UInt8], isFinal: Bool = true) -> Sent {
    frame(2, bytes, isFinal: isFinal)
  }

  /// A continuation frame.
  static func more(_ text: String, isFinal: Bool = false) -> Sent {
    frame(0, Array(text.utf8), isFinal: isFinal)
  }

  /// The final continuation frame.
  static func last(_ text: String) -> Sent { more(text, isFinal: true) }

  static func ping(_ payload: [UInt8] = []) -> Sent { frame(9, payload) }
  static func pong(_ payload: [UInt8] = []) -> Sent { frame(10, payload) }

  static func close(_ code: UInt16, _ reason: String = "") -> Sent {
    frame(8, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
  }

  /// A text in frames of `size` bytes.
  static func pieces(of message: [UInt8], size: Int) -> [Sent] {
    stride(from: 0, to: message.count, by: size).map { start in
      let end = min(start + size, message.count)
      return frame(start == 0 ? 1 : 0, Array(message[start..<end]), isFinal: end == message.count)
    }
  }
}
