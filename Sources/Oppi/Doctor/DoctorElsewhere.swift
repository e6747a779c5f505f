// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// Runs this program's checks in the environment of a trigger.
struct DoctorElsewhere: Sendable {
  /// Above the limit of the checks themselves.
  private static let limit = Duration.seconds(20)

  private let environment: TriggerEnvironment
  private let context: IntentContext

  init(_ environment: TriggerEnvironment, in context: IntentContext) {
    (self.environment, self.context) = (environment, context)
  }

  /// Runs the program in that environment.
  ///
  /// Returns the observations about the environment itself, and the program's outcome. The outcome
  /// is `nil` if the program did not finish; an observation then says so.
  ///
  /// - Throws: `CancellationError`.
  func run(
    _ arguments: [String]
  ) async throws -> (known: [HealthFact.Observation], outcome: ChildProcess.Outcome?) {
    var known = environment.observations + environment.differences(in: context)
    let path = context.programPath()
    var process = ChildProcess(arguments: [path] + arguments)
    process.environment = environment.variables
    process.errors = .collected
    let deadline = context.loop.now + Self.limit
    let fact: HealthFact
    do throws(ChildProcess.Failure) {
      return (known, try await context.programs.run(process, on: context.loop, until: deadline))
    } catch {
      switch error {
      case .cancelled: throw CancellationError()
      case .cannotStart(let cause): fact = .notStarted(path: path, cause)
      case .timedOut, .tooMuchOutput: fact = .unended(after: Self.limit)
      }
    }
    known.append(HealthFact.Observation(check: "program", fact: fact))
    return (known, nil)
  }
}
