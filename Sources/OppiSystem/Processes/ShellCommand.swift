// SPDX-License-Identifier: MIT

package import EventLoop

/// A command line of the user, run by the shell.
package struct ShellCommand: Sendable {
  package struct Outcome: Sendable {
    /// Standard output, then standard error.
    package let text: String
    /// Standard output alone.
    package let output: String
    package let status: Int32
  }

  /// Why the command did not run to its end.
  package enum Failure: Error, Equatable {
    case cannotStart(SystemError)
    case timedOut(Duration)
    case tooMuchOutput
    case cancelled
  }

  /// The shell of POSIX systems.
  package static let shell = "/bin/sh"

  private let line: String
  private let input: String

  /// `input` is its standard input.
  package init(_ line: String, input: String = "") { (self.line, self.input) = (line, input) }

  /// Runs the command line to its end.
  ///
  /// - Parameters:
  ///   - programs: The programs of the machine.
  ///   - environment: Its environment variables.
  ///   - outputLimit: The limit of each output stream in bytes.
  ///   - loop: The event loop.
  ///   - limit: The time limit, after which it is killed.
  /// - Returns: The output and the exit status; invalid UTF-8 is replaced.
  /// - Throws: ``Failure`` if it does not run to its end.
  package func run(
    by programs: any ProgramAccess,
    environment: [String: String],
    outputLimit: Int,
    on loop: EventLoop,
    within limit: Duration
  ) async throws(Failure) -> Outcome {
    var process = ChildProcess(arguments: [Self.shell, "-c", line])
    process.environment = environment
    process.input = Array(input.utf8)
    process.outputLimit = outputLimit
    process.errors = .collected
    let outcome: ChildProcess.Outcome
    do throws(ChildProcess.Failure) {
      outcome = try await programs.run(process, on: loop, until: loop.now + limit)
    } catch {
      switch error {
      case .cannotStart(let cause): throw .cannotStart(cause)
      case .timedOut: throw .timedOut(limit)
      case .tooMuchOutput: throw .tooMuchOutput
      case .cancelled: throw .cancelled
      }
    }
    let output = String(decoding: outcome.output, as: UTF8.self)
    return Outcome(
      text: output + String(decoding: outcome.errors, as: UTF8.self),
      output: output,
      status: outcome.status
    )
  }
}
