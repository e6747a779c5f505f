// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiRendering

/// One thing that `oppi doctor` looks at.
struct HealthCheck: Sendable {
  /// What the checks look at.
  struct Subject: Sendable {
    let context: Context
    /// What starts the program there; `nil` for a person at a shell.
    var trigger: Trigger?
  }

  /// One word, as programs know it.
  let name: String
  /// What it looks at, for help.
  let summary: String
  let look: @Sendable (Subject) async -> [Finding]

  /// All of them, in the order in which they are told; one more check is one more row.
  static let all = [
    program, files, servers, shortcuts, schedules, outbox, watch, systemd, notifications, terminal,
    mail,
    completions,
  ]

  /// No check takes longer than the servers may and the desktop.
  private static let limit = Duration.seconds(10)

  /// Makes all checks at the same time.
  static func findings(_ subject: Subject) async -> [Finding] {
    await withTaskGroup(of: (Int, [Finding]).self) { group in
      for (index, check) in all.enumerated() {
        group.addTask { (index, await check.findings(subject)) }
      }
      return await group.reduce(into: [Int: [Finding]]()) { $0[$1.0] = $1.1 }
        .sorted { $0.key < $1.key }.flatMap(\.value)
    }
  }

  private func findings(_ subject: Subject) async -> [Finding] {
    let findings = await withTaskGroup(of: [Finding]?.self) { group in
      group.addTask { await look(subject) }
      group.addTask {
        try? await subject.context.loop.sleep(for: Self.limit)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    let late = Finding.warning("no answer within \(ElapsedTime.text(Self.limit))")
    return (findings ?? [late]).map { finding in
      var finding = finding
      finding.check = name
      return finding
    }
  }
}
