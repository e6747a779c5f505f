// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiSystem

/// Has this very program make its checks in other environment.
struct DoctorElsewhere {
  /// The checks have a limit of their own.
  private static let limit = Duration.seconds(20)

  private let environment: TriggerEnvironment
  private let context: Context

  init(_ environment: TriggerEnvironment, in context: Context) {
    self.environment = environment
    self.context = context
  }

  /// What was found about the environment, and then in them.
  func findings() async throws -> [Finding] {
    let servers = (try? context.serverStore.load().servers) ?? []
    let known =
      environment.findings + environment.differences(from: context.environment, for: servers)
    do {
      return known + (try await there())
    } catch ChildProcess.Failure.cancelled {
      throw CancellationError()
    } catch let failure as ChildProcess.Failure {
      return known + [finding(failure)]
    }
  }

  /// Why this program does not run there.
  private func finding(_ failure: ChildProcess.Failure) -> Finding {
    var finding =
      if case .cannotStart(let cause) = failure {
        Finding.fault(
          OppiError(
            .badConfiguration,
            "\(context.programPath()) cannot be started there: \(cause)",
            hints: ["install it where every program can be started, such as in ~/.local/bin"]
          )
        )
      } else {
        Finding.fault(OppiError(.timedOut, "the checks there did not end within \(Self.limit)"))
      }
    finding.check = "program"
    return finding
  }

  private func there() async throws -> [Finding] {
    let path = context.programPath()
    var process = ChildProcess(
      arguments: [path, "__doctor", environment.trigger.rawValue, "--json"] + options
    )
    process.environment = environment.variables
    process.errors = .collected
    let deadline = context.loop.now + Self.limit
    let outcome = try await context.programs.run(process, on: context.loop, until: deadline)
    guard let json = try? JSONValue(parsing: outcome.output),
      let findings = json["findings"].array?.compactMap(Finding.init(json:)), !findings.isEmpty
    else {
      let words = String(decoding: outcome.errors, as: UTF8.self).safeLine(limit: 200)
      throw OppiError(.bug, "the checks broke off with status \(outcome.status): \(words)")
    }
    return findings
  }

  private var options: [String] {
    (context.options.server.map { ["--server=\($0)"] } ?? [])
      + (context.options.timeout.map { ["--timeout=\($0.milliseconds)ms"] } ?? [])
  }
}
