// SPDX-License-Identifier: MIT

package import EventLoop

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
    guard programs.has(name) else { throw ToolError.missing(name) }
    var process = ChildProcess(arguments: words)
    process.environment = environment.merging(variables) { $1 }.merging(["LC_ALL": "C"]) { $1 }
    process.folder = folder
    process.errors = .collected
    do throws(ChildProcess.Failure) {
      return try await programs.run(process, on: loop, until: loop.now + limit)
    } catch {
      switch error {
      case .cannotStart(let cause): throw ToolError.cannotStart(name, cause)
      case .timedOut: throw ToolError.timedOut(name)
      case .tooMuchOutput: throw ToolError.tooMuchOutput(name)
      case .cancelled: throw CancellationError()
      }
    }
  }
}

/// Why another program, named by each case, did not run to its end.
package enum ToolError: Error, Equatable {
  /// It is not installed.
  case missing(String)
  case cannotStart(String, SystemError)
  case timedOut(String)
  case tooMuchOutput(String)
}
