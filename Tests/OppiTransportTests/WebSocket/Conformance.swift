// SPDX-License-Identifier: MIT

import Testing

/// What a server sends after the handshake, and what RFC 6455 has the client do.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
  /// Its own; the first figure is the chapter.
  let number: String
  /// What is shown, in a few words.
  let title: String
  let sent: [Sent]
  let conduct: Conduct

  init(_ number: String, _ title: String, _ sent: [Sent], _ conduct: Conduct) {
    (self.number, self.title, self.sent, self.conduct) = (number, title, sent, conduct)
  }

  var testDescription: String { "\(number) \(title)" }

  /// The server's bytes; where the client has no reason to end the conversation, the server does.
  var bytes: [UInt8] {
    let ending: [Sent] = conduct.isPeerToClose ? [.close(1000)] : []
    return (sent + ending).flatMap(\.bytes)
  }

  static let all: [ConformanceCase] =
    framing + pings + reservedBits + opcodes + fragmentation + utf8 + closing + sizes + mixtures
}

/// How a client behaves.
struct Conduct: Sendable, Equatable, CustomTestStringConvertible {
  /// What its user learns of the end.
  enum End: Sendable, Equatable {
    /// The server has closed, with a code and a reason where it gave them.
    case closed(UInt16?, String)
    /// The server broke a rule, and was told so with a code.
    case failed(UInt16)
    /// The connection ended, and no rule was broken.
    case cut
  }

  /// What the server hears.
  enum Answer: Sendable, Equatable {
    case pong([UInt8])
    case close(UInt16?)
    /// Anything else, by its opcode.
    case other(UInt8)
  }

  /// The texts that its user gets.
  var texts: [[UInt8]]
  var end: End
  var answers: [Answer]
  fileprivate(set) var isPeerToClose = false

  init(texts: [[UInt8]], end: End, answers: [Answer]) {
    (self.texts, self.end, self.answers) = (texts, end, answers)
  }

  /// Hands texts over, answers pings and takes the server's farewell as it should.
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

  /// Fails the connection with a code; what came before is told and answered all the same.
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

  /// Answers the server's close frame with its code, tells its user, and says nothing more.
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

  /// Long texts are no help in a report.
  var testDescription: String {
    let shown = texts.map { text in
      text.count > 40 ? "\(text.count) bytes" : "'\(String(decoding: text, as: UTF8.self))'"
    }
    return "\(shown), \(end), \(answers)"
  }
}

/// Bytes of a server, written here by hand: the product's own encoder may share its mistakes.
struct Sent: Sendable {
  /// How a frame writes its length.
  enum Length {
    case shortest
    case twoBytes
    case eightBytes
    /// Announced, whether so many bytes follow or not.
    case announced(UInt64)
  }

  let bytes: [UInt8]

  /// Any frame, also one that must not be.
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

  /// A further piece of a message.
  static func more(_ text: String, isFinal: Bool = false) -> Sent {
    frame(0, Array(text.utf8), isFinal: isFinal)
  }

  /// The last piece of a message.
  static func last(_ text: String) -> Sent { more(text, isFinal: true) }

  static func ping(_ payload: [UInt8] = []) -> Sent { frame(9, payload) }
  static func pong(_ payload: [UInt8] = []) -> Sent { frame(10, payload) }

  static func close(_ code: UInt16, _ reason: String = "") -> Sent {
    frame(8, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
  }

  /// A message in pieces of so many bytes.
  static func pieces(_ opcode: UInt8 = 1, of message: [UInt8], size: Int) -> [Sent] {
    stride(from: 0, to: message.count, by: size).map { start in
      let end = min(start + size, message.count)
      return frame(
        start == 0 ? opcode : 0,
        Array(message[start..<end]),
        isFinal: end == message.count
      )
    }
  }
}
