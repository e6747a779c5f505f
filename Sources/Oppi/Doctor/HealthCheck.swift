// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

/// The checks of `oppi doctor`, by their names in JSON, in the order of the report.
enum HealthCheck: String, Sendable, CaseIterable {
  case program
  case files
  case servers
  case shortcuts
  case schedules
  case outbox
  case watch
  case systemd
  case notifications
  case terminal
  case mail
  case completions

  /// Longer than the limits of servers and of the desktop.
  private static let limit = Duration.seconds(10)

  /// Runs all checks concurrently.
  static func observations(
    of subject: any DoctorSubject
  ) async -> [HealthFact.Observation] {
    await withTaskGroup(of: (Int, [HealthFact.Observation]).self) { group in
      for (index, check) in allCases.enumerated() {
        group.addTask {
          let facts = await check.limitedFacts(of: subject)
          return (index, facts.map { HealthFact.Observation(check: check.rawValue, fact: $0) })
        }
      }
      return await group.reduce(into: [Int: [HealthFact.Observation]]()) { $0[$1.0] = $1.1 }
        .sorted { $0.key < $1.key }.flatMap(\.value)
    }
  }

  private func limitedFacts(of subject: any DoctorSubject) async -> [HealthFact] {
    let found = await withTaskGroup(of: [HealthFact]?.self) { group in
      group.addTask { await facts(of: subject) }
      group.addTask {
        try? await subject.intents.loop.sleep(for: Self.limit)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    return found ?? [.unanswered(after: Self.limit)]
  }

  /// Runs the check; an error becomes a fact.
  private func facts(of subject: any DoctorSubject) async -> [HealthFact] {
    do {
      return switch self {
      case .program: Self.program(subject)
      case .files: Self.files(subject.intents)
      case .servers: try await Self.servers(subject)
      case .shortcuts: try await Self.shortcuts(subject)
      case .schedules: try await Self.schedules(subject)
      case .outbox: try await Self.outbox(subject)
      case .watch: try Self.watch(subject)
      case .systemd: Self.systemd(subject)
      case .notifications: await Self.notifications(subject)
      case .terminal: try Self.terminal(subject)
      case .mail: Self.mail(subject)
      case .completions: Self.completions(subject)
      }
    } catch {
      return [.failed(error)]
    }
  }
}
