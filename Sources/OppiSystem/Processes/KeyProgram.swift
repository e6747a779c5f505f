// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiWire

/// A program that signs with a private key, which this program never gets.
///
/// It is called with one more argument: `public-key` prints the public key, and `sign` signs the
/// bytes of its standard input with ECDSA and SHA-256.
package struct KeyProgram: Sendable {
  package enum Failure: Error, Equatable {
    case program(ChildProcess.Failure)
    case failed(status: Int32)
    case noPublicKey
    case noSignature
    /// The signature is not by the public key that the program printed.
    case otherKey
  }

  /// The time for one call; a key in hardware may need a touch.
  package static let limit = Duration.seconds(10)
  /// In bytes; longer than any key or signature.
  private static let outputLimit = 16 << 10

  private let command: [String]
  private let loop: EventLoop

  package init(_ command: [String], on loop: EventLoop) {
    self.command = command
    self.loop = loop
  }

  package func publicKey(
    until deadline: EventLoop.Instant
  ) async throws(Failure) -> DevicePublicKey {
    let output = try await output(of: "public-key", input: [], until: deadline)
    guard let key = KeyProgramOutput.publicKey(in: output) else { throw .noPublicKey }
    return key
  }

  package func sign(
    _ message: [UInt8],
    until deadline: EventLoop.Instant
  ) async throws(Failure) -> ECDSASignature {
    let output = try await output(of: "sign", input: message, until: deadline)
    guard let signature = KeyProgramOutput.signature(in: output) else { throw .noSignature }
    return signature
  }

  private func output(
    of mode: String,
    input: [UInt8],
    until deadline: EventLoop.Instant
  ) async throws(Failure) -> [UInt8] {
    var process = ChildProcess(arguments: command + [mode])
    process.input = input
    process.outputLimit = Self.outputLimit
    let outcome: ChildProcess.Outcome
    do {
      outcome = try await process.run(on: loop, until: min(deadline, loop.now + Self.limit))
    } catch {
      throw .program(error)
    }
    guard outcome.status == 0 else { throw .failed(status: outcome.status) }
    return outcome.output
  }
}
