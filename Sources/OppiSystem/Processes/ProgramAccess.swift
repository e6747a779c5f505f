// SPDX-License-Identifier: MIT

package import EventLoop

package protocol ProgramAccess: Sendable {
  /// Whether a program with this name or path exists.
  func has(_ name: String) -> Bool

  /// Whether a program exists on another search path.
  func has(_ name: String, path: String) -> Bool

  /// Runs a program to its end, as ``ChildProcess/run(on:until:)`` does.
  func run(
    _ program: ChildProcess,
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(ChildProcess.Failure) -> ChildProcess.Outcome

  /// Starts a program without waiting for it, as ``Program/startDetached(_:)`` does.
  func startDetached(_ arguments: [String]) throws(SystemError)
}

/// The programs on the `PATH` of an environment.
package struct SystemPrograms: ProgramAccess {
  private let path: String

  package init(environment: [String: String]) {
    path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
  }

  package func has(_ name: String) -> Bool { has(name, path: path) }

  package func has(_ name: String, path: String) -> Bool {
    Program.find(name, path: path) != nil
  }

  package func run(
    _ program: ChildProcess,
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(ChildProcess.Failure) -> ChildProcess.Outcome {
    try await program.run(on: loop, until: deadline)
  }

  package func startDetached(_ arguments: [String]) throws(SystemError) {
    try Program.startDetached(arguments)
  }
}
