// SPDX-License-Identifier: MIT

import OppiText
import OppiWire
import TestSupport
import Testing

@testable import OppiSystem

/// A program that keeps the key of this machine.
@Suite struct KeyProgramTests {
  private static let key = DevicePublicKey(x: Array(1...32), y: Array(33...64))
  private static let signature = ECDSASignature(concatenated: Array(129...192))

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A program that records its arguments and its input, and prints the bytes as base64.
  private func program(printing der: [UInt8], status: Int32 = 0) throws -> [String] {
    let path = try scratch.writeScript(
      """
      printf '%s\\n' "$*" >'\(scratch.path("words"))'
      cat >'\(scratch.path("input"))'
      echo '\(Base64.encode(der))'
      exit \(status)
      """,
      to: "key"
    )
    return [path, "--slot", "1"]
  }

  private func publicKey(of command: [String]) throws -> DevicePublicKey {
    try onLoop { try await KeyProgram(command, on: $0).publicKey(until: .farOff) }
  }

  private func signature(by command: [String]) throws -> ECDSASignature {
    try onLoop { try await KeyProgram(command, on: $0).sign(Array("text".utf8), until: .farOff) }
  }

  @Test("its last word says what it must print, and it signs its input")
  func calls() throws {
    let key = try #require(Self.key)
    #expect(try publicKey(of: program(printing: key.der)) == key)
    #expect(scratch.read("words") == "--slot 1 public-key\n" && scratch.read("input") == "")
    let signature = try #require(Self.signature)
    #expect(try self.signature(by: program(printing: signature.der)) == signature)
    #expect(scratch.read("words") == "--slot 1 sign\n" && scratch.read("input") == "text")
  }

  @Test("what a program prints before it fails is no key and no signature", arguments: [1, 3, 127])
  func failure(status: Int32) throws {
    let failure = KeyProgram.Failure.failed(status: status)
    let keys = try program(printing: try #require(Self.key).der, status: status)
    #expect(throws: failure) { try publicKey(of: keys) }
    let signatures = try program(printing: try #require(Self.signature).der, status: status)
    #expect(throws: failure) { try signature(by: signatures) }
  }

  @Test("a signature is no key, and a key is no signature")
  func otherKind() throws {
    let signatures = try program(printing: try #require(Self.signature).der)
    #expect(throws: KeyProgram.Failure.noPublicKey) { try publicKey(of: signatures) }
    let keys = try program(printing: try #require(Self.key).der)
    #expect(throws: KeyProgram.Failure.noSignature) { try signature(by: keys) }
  }
}
