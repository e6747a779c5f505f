// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import TestSupport
import Testing
import WebSocketCodec

@testable import OppiTransport

/// How the bytes of a server are split into writes.
enum Cutting: Sendable, CaseIterable {
  case oneWrite
  /// One byte per write, or more for long data.
  case bytes
  /// In one write with the handshake response.
  case behindHandshake

  func writes(_ bytes: [UInt8], behind handshake: [UInt8]) -> [[UInt8]] {
    switch self {
    case .oneWrite: return [handshake, bytes]
    case .behindHandshake: return [handshake + bytes]
    case .bytes:
      let size = 1 + bytes.count / 1000
      return [handshake]
        + stride(from: 0, to: bytes.count, by: size).map { start in
          Array(bytes[start..<min(start + size, bytes.count)])
        }
    }
  }
}

extension ConformanceCase {
  /// Runs the server over a new connection, and returns the conduct of the client.
  func play(cutting: Cutting) throws -> Conduct {
    try onLoop { [bytes] loop in
      let talk = try await Conversation(on: loop) { accepted in
        let stream = try await accepted.open()
        let request = try await stream.readRequest()
        let handshake = try HTTPResponse.switching(for: request).encoded()
        for write in cutting.writes(bytes, behind: handshake) {
          // A client that has failed the connection need not read the rest.
          guard (try? await stream.write(write)) != nil else { break }
        }
        // A client that wrongly waits for more data reaches the end.
        stream.shutDown()
        return await stream.readToEnd()
      } client: { port in
        try await Self.listen(port, on: loop)
      }
      let (texts, end, _) = try talk.client.get()
      let answers = try Self.answers(in: try talk.server.get()[...])
      return Conduct(texts: texts, end: end, answers: answers)
    }
  }

  /// Runs the client to its end.
  ///
  /// The stream is returned, since closing it early could reset the connection before the server
  /// has read all data.
  private static func listen(
    _ port: Int,
    on loop: EventLoop
  ) async throws -> (texts: [[UInt8]], end: Conduct.End, stream: WebSocketStream) {
    let stream = try await WebSocketStream.connect(port, on: loop)
    var texts: [[UInt8]] = []
    var end: Conduct.End?
    while end == nil {
      do throws(TransportError) {
        switch try await stream.receive(until: .farOff) {
        case .message(let text): texts.append(text)
        case .closed(let code, let reason): end = .closed(code?.rawValue, reason)
        }
      } catch {
        switch error {
        case .webSocketBroken(let rule): end = .failed(rule.closeCode.rawValue)
        case .closed(.answer): end = .cut
        default: throw error
        }
      }
    }
    await stream.close()
    return (texts, try #require(end), stream)
  }

  /// The client sent bytes that are not a valid frame.
  struct BadFrame: Error {
    let bytes: [UInt8]
  }

  /// Parses the client's frames: masked, unfragmented, without reserved bits, none after a close
  /// frame.
  private static func answers(in bytes: ArraySlice<UInt8>) throws -> [Conduct.Answer] {
    var answers: [Conduct.Answer] = []
    var rest = bytes
    while !rest.isEmpty {
      let head = Array(rest.prefix(6))
      let length = Int(head.count == 6 ? head[1] & 0x7F : 0)
      guard head.count == 6, head[0] & 0xF0 == 0x80, head[1] & 0x80 != 0, length <= 125,
        rest.count >= 6 + length, !answers.contains(where: \.isClose)
      else { throw BadFrame(bytes: Array(rest)) }
      let payload = rest.dropFirst(6).prefix(length).enumerated().map { index, byte in
        byte ^ head[2 + index % 4]
      }
      answers.append(try Conduct.Answer(opcode: head[0] & 0x0F, payload))
      rest = rest.dropFirst(6 + length)
    }
    return answers
  }
}

extension Conduct.Answer {
  fileprivate init(opcode: UInt8, _ payload: [UInt8]) throws {
    switch opcode {
    case 8 where payload.isEmpty: self = .close(nil)
    case 8:
      _ = try #require(String(validating: payload.dropFirst(2), as: UTF8.self))
      self = .close(UInt16(payload[0]) << 8 | UInt16(try #require(payload.dropFirst().first)))
    case 10: self = .pong(payload)
    default: self = .other(opcode)
    }
  }

  fileprivate var isClose: Bool {
    if case .close = self { true } else { false }
  }
}
