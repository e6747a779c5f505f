// SPDX-License-Identifier: MIT

import Testing
import WebSocketCodec

@Suite("FrameDecoder")
struct FrameDecoderTests {
  static let frames: [Frame] = [
    .text("Hello"),
    Frame(isFinal: false, opcode: .binary, payload: Array(0...200)),
    Frame(opcode: .ping, payload: []),
    Frame(opcode: .continuation, payload: [UInt8](repeating: 0xA5, count: 70_000)),
    .close(1000, "bye"),
  ]

  @Test("a stream cut at any byte decodes the same", arguments: [Role.client, .server])
  func anyCut(role: Role) throws {
    let small = Self.frames.filter { $0.payload.count < 1000 }
    let bytes = wire(small, from: role.opposite)
    for cut in 0...bytes.count {
      var reader = FrameReader(role: role)
      let decoded = try reader.read(bytes[..<cut]) + reader.read(bytes[cut...])
      #expect(decoded == small)
    }
  }

  @Test(
    "a stream in small pieces decodes the same",
    arguments: [Role.client, .server],
    [1, 7, 4096]
  )
  func pieces(role: Role, size: Int) throws {
    var rest = wire(Self.frames, from: role.opposite)[...]
    var reader = FrameReader(role: role)
    var decoded: [Frame] = []
    while !rest.isEmpty {
      decoded += try reader.read(rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    #expect(decoded == Self.frames)
  }

  @Test("the masked example of RFC 6455 section 5.7 is unmasked")
  func example() throws {
    var reader = FrameReader(role: .server)
    let bytes: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
    #expect(try reader.read(bytes) == [.text("Hello")])
  }

  struct Rejection: Identifiable, Sendable {
    let id: ProtocolError
    var role = Role.client
    let bytes: [UInt8]
  }

  @Test(
    "an error is thrown at the byte that causes it, not before",
    arguments: [
      Rejection(id: .reservedBits, bytes: [0xC1]),
      Rejection(id: .reservedBits, bytes: [0xA1]),
      Rejection(id: .reservedBits, bytes: [0x91]),
      Rejection(id: .reservedOpcode, bytes: [0x83]),
      Rejection(id: .reservedOpcode, bytes: [0x8B]),
      Rejection(id: .controlFragmented, bytes: [0x09]),
      Rejection(id: .controlTooLong, bytes: [0x89, 126]),
      Rejection(id: .controlTooLong, bytes: [0x88, 127]),
      Rejection(id: .maskedByServer, bytes: [0x81, 0x80]),
      Rejection(id: .unmaskedByClient, role: .server, bytes: [0x81, 0x00]),
      Rejection(id: .lengthNotMinimal, bytes: [0x82, 126, 0x00, 0x7D]),
      Rejection(id: .lengthNotMinimal, bytes: [0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]),
      Rejection(id: .lengthTopBitSet, bytes: [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0]),
      Rejection(
        id: .frameTooLarge(length: 1 << 62),
        bytes: [0x82, 127, 0x40, 0, 0, 0, 0, 0, 0, 0]
      ),
      Rejection(
        id: .frameTooLarge(length: (1 << 63) - 1),
        bytes: [0x82, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
      ),
      Rejection(
        id: .frameTooLarge(length: (1 << 20) + 1),
        role: .server,
        bytes: [0x82, 0xFF, 0, 0, 0, 0, 0, 0x10, 0, 1]
      ),
    ]
  )
  func rejections(rejection: Rejection) throws {
    var reader = FrameReader(role: rejection.role)
    #expect(try reader.read(rejection.bytes.dropLast()) == [])
    #expect(throws: rejection.id) { try reader.read(rejection.bytes.suffix(1)) }
  }

  @Test("a rejected frame ends the decoding")
  func nothingAfter() throws {
    var decoder = FrameDecoder(role: .client, maxFrame: 100)
    decoder.receive([0xC1, 0x00])
    #expect(throws: ProtocolError.reservedBits) { try decoder.next() }
    decoder.receive(wire([.text("Hello")], from: .server))
    #expect(throws: ProtocolError.reservedBits) { try decoder.next() }
  }

  @Test("a frame may be as large as the limit, but not larger")
  func limit() throws {
    var reader = FrameReader(role: .client, maxFrame: 300)
    let largest = Frame(opcode: .binary, payload: [UInt8](repeating: 1, count: 300))
    #expect(try reader.read(wire([largest], from: .server)) == [largest])
    #expect(throws: ProtocolError.frameTooLarge(length: 301)) {
      try reader.read([0x82, 126, 0x01, 0x2D])
    }
  }

  @Test("read bytes are discarded")
  func bounded() throws {
    var decoder = FrameDecoder(role: .client, maxFrame: 100)
    // The last byte of each piece begins the next frame, so one byte is always unread.
    decoder.receive([0x82])
    for _ in 0..<1000 {
      decoder.receive([0x01, 0x2A, 0x82])
      while let part = try decoder.next() {
        if case .payload(let bytes, _) = part { #expect(bytes.endIndex < 20) }
      }
    }
  }

  @Test("a payload is returned before it is complete")
  func parts() throws {
    var decoder = FrameDecoder(role: .client, maxFrame: 100)
    decoder.receive([0x81, 0x03, 0x61])
    guard case .header(let header) = try decoder.next() else {
      Issue.record("the header is missing")
      return
    }
    #expect(header.opcode == .text && header.isFinal && header.payloadLength == 3)
    #expect(try decoder.next() == .payload([0x61], of: header))
    #expect(try decoder.next() == nil)
    decoder.receive([0x62, 0x63])
    #expect(try decoder.next() == .payload([0x62, 0x63], of: header))
    #expect(try decoder.next() == .end(of: header))
    #expect(try decoder.next() == nil)
  }
}
