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

  /// Why the command did not run to its end within its time limit.
  package struct Failure: Error, Equatable {
    package let cause: ChildProcess.Failure
    package let limit: Duration
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
    do {
      outcome = try await programs.run(process, on: loop, until: loop.now + limit)
    } catch {
      throw Failure(cause: error, limit: limit)
    }
    let output = String(decoding: outcome.output, as: UTF8.self)
    return Outcome(
      text: output + String(decoding: outcome.errors, as: UTF8.self),
      output: output,
      status: outcome.status
    )
  }
}

/// Runs short-lived programs of the machine in the C locale.
package struct ToolRunner: Sendable {
  private let programs: any ProgramAccess
  private let environment: [String: String]
  private let loop: EventLoop

  package init(programs: any ProgramAccess, environment: [String: String], loop: EventLoop) {
    (self.programs, self.environment, self.loop) = (programs, environment, loop)
  }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - words: The program and its arguments.
  ///   - variables: Variables in addition to the environment.
  ///   - folder: The folder in which the program starts; `nil` for that of this program.
  ///   - limit: The time limit.
  /// - Returns: The output of both streams and the exit status.
  /// - Throws: `ToolError` if the program does not run to its end; `CancellationError`.
  package func run(
    _ words: [String],
    variables: [String: String] = [:],
    in folder: String? = nil,
    within limit: Duration
  ) async throws -> ChildProcess.Outcome {
    let name = words[0]
    guard programs.has(name) else {
      throw ToolError("\(name) is not installed", missing: name)
    }
    var process = ChildProcess(arguments: words)
    process.environment = environment.merging(variables) { $1 }.merging(["LC_ALL": "C"]) { $1 }
    process.folder = folder
    process.errors = .collected
    do throws(ChildProcess.Failure) {
      return try await programs.run(process, on: loop, until: loop.now + limit)
    } catch {
      switch error {
      case .cannotStart(let cause): throw ToolError("cannot start \(name): \(cause)")
      case .timedOut: throw ToolError("\(name) timed out")
      case .tooMuchOutput: throw ToolError("the output of \(name) is too long")
      case .cancelled: throw CancellationError()
      }
    }
  }
}

/// Why another program did not run to its end, or failed.
package struct ToolError: Error, Equatable {
  /// One line that is safe to show.
  package let message: String
  /// The program, if it is not installed.
  package let missingProgram: String?

  package init(_ message: String, missing program: String? = nil) {
    self.message = message
    missingProgram = program
  }
}
