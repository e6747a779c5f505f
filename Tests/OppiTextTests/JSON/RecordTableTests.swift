// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

@Suite struct RecordTableTests {
  @Test(
    "every member survives a round trip, and has its default or rejects the record if missing",
    arguments: RecordCase.all
  )
  func members(record: RecordCase) {
    #expect(record.problems == [])
  }

  @Test("the outcome of a turn in a file of an earlier version", arguments: ["stopped", "unknown"])
  func earlierOutcome(word: String) {
    let turn = TurnSummary.shape.record(from: ["end": .string(word)])
    #expect(turn?.end?.rawValue == word)
    let other = TurnSummary.shape.record(from: ["end": .string(word), "outcome": "failed"])
    #expect(other?.end == .failed)
    #expect(TurnSummary.shape.record(from: ["end": .string(word), "outcome": "new"])?.end == nil)
  }
}

extension RecordCase {
  static let all = status + prompts + schedules + places + ledgers

  // MARK: - Samples

  private static let id = Fingerprint(digest: Array(repeating: 7, count: 32))
  private static let now = Timestamp(seconds: 1_800_000_000)
  private static let changes = SessionStatus.Changes(files: 1, addedLines: 2, removedLines: 3)
  private static let question = SessionStatus.Question(id: "s1", text: "Which?")
  private static let todo = TodoProgress(completed: 1, total: 2, current: "test")
  private static let approval = PendingApproval(
    id: "r1",
    tool: "bash",
    summary: "make",
    reason: "policy",
    risk: .write,
    expiresAt: now
  )
  private static let turn = TurnSummary(
    startedAt: now,
    endedAt: now,
    operation: "bash: make",
    todo: todo,
    failure: "overloaded",
    resetAt: now
  )
  private static let session = SessionStatus(
    id: "s1",
    workspaceID: "w1",
    workspaceName: "web",
    goal: "fix",
    phase: .waiting,
    model: "m",
    cost: 1.25,
    changes: changes,
    lastActivity: now,
    messageCount: 4,
    turn: turn,
    approvals: [approval],
    question: question,
    pendingCount: 2
  )
  private static let server = ServerStatus(
    id: id,
    name: "studio",
    contactAt: now,
    failure: "timeout",
    sessions: [session]
  )

  private static let status: [RecordCase] = [
    RecordCase(
      "FleetStatus",
      FleetStatus.shape,
      [FleetStatus(at: now, servers: [server])],
      required: ["version", "at", "servers"]
    ),
    RecordCase(
      "ServerStatus",
      ServerStatus.shape,
      [server],
      required: ["id", "name"],
      defaults: ["sessions": []]
    ),
    RecordCase(
      "SessionStatus",
      SessionStatus.shape,
      [session],
      required: ["id", "state"],
      defaults: [
        "loaded": false, "lastActivity": 0, "messageCount": 0, "approvals": [], "pendingCount": 0,
      ]
    ),
    RecordCase(
      "Changes",
      SessionStatus.Changes.shape,
      [changes],
      defaults: ["files": 0, "addedLines": 0, "removedLines": 0]
    ),
    RecordCase(
      "Question",
      SessionStatus.Question.shape,
      [question],
      required: ["id"],
      defaults: ["text": ""]
    ),
    RecordCase(
      "TurnSummary",
      TurnSummary.shape,
      TurnEnd.allCases.map { end in
        var turn = turn
        turn.end = end
        return turn
      },
      dependent: ["outcome", "end"]
    ),
    RecordCase("TodoProgress", TodoProgress.shape, [todo], required: ["completed", "total"]),
    RecordCase(
      "PendingApproval",
      PendingApproval.shape,
      [approval],
      required: ["id"],
      // A missing need depends on the kind, and null is an unknown risk.
      dependent: ["needs", "risk"],
      defaults: ["kind": "permission", "tool": "", "summary": "", "sha256": ""]
    ),
  ]

  // MARK: - Servers and workspaces

  private static let places: [RecordCase] = [
    RecordCase(
      "PairedServer",
      PairedServer.shape,
      paired,
      required: ["id", "name", "host", "port"],
      strict: ["tlsCertFingerprint", "identityProven", "tokenCommand", "keyCommand", "proxy"],
      // The fingerprint is the id, and only https has a pin.
      dependent: ["fingerprint", "scheme"],
      defaults: ["addedAt": "1970-01-01T00:00:00Z"]
    ),
    RecordCase(
      "LaunchTarget",
      LaunchTarget.shape,
      [WorkspaceReference(serverID: id, workspaceID: "w1")].compactMap(\.self)
        .map { LaunchTarget(workspace: $0, timestamp: now) },
      required: ["serverId", "workspaceId", "timestamp"]
    ),
  ]

  private static let paired = [Endpoint(scheme: .https, host: "10.0.0.2", port: 7749)]
    .compactMap(\.self)
    .map { endpoint in
      PairedServer(
        id: id,
        name: "studio",
        endpoint: endpoint,
        certificatePin: id,
        isProven: true,
        addedAt: 1_795_220_685,
        tokenCommand: ["pass", "show", "oppi"],
        keyCommand: ["sign"],
        proxy: "socks5://localhost"
      )
    }

  // MARK: - Ledgers

  private static let ledgers: [RecordCase] = [
    RecordCase(
      "EscalationLedger",
      EscalationLedger.shape,
      [EscalationLedger()],
      // It is always the same.
      dependent: ["version"],
      defaults: ["requests": [:]]
    ),
    RecordCase(
      "SpendingLedger",
      SpendingLedger.shape,
      [SpendingLedger()],
      required: ["days", "sessions"],
      defaults: ["begun": .null, "dropped": .null]
    ),
  ]

  // MARK: - Prompts and schedules

  private static let prompts: [RecordCase] = [
    RecordCase(
      "QueuedPrompt",
      QueuedPrompt.shape,
      states.map(prompt),
      required: [
        "key", "isKeyKept", "isQueued", "contentDigest", "serverId", "prompt", "createdAt",
        "clientTurnId", "state", "departure", "attempts", "mayHaveSession", "endsSession",
        "changedAt",
      ],
      strict: [
        "targetSessionId", "conversation", "sessionId", "notBefore", "expectedMessageCount",
        "dayBudget", "monthBudget", "launchedSinceBoot",
      ],
      // The time since boot is of the same moment.
      dependent: ["launchedAt"],
      defaults: ["serverName": .string(id.text), "progress": "accepted"]
    ),
    RecordCase(
      "QueuedPrompt.Sending",
      QueuedPrompt.Sending.shape,
      [sending],
      required: ["clientTurnId", "kind", "anchor", "messageCount", "dialect", "at"],
      strict: ["sinceBoot", "epoch"]
    ),
    RecordCase(
      "FailureReason",
      FailureReason.shape,
      [FailureReason(code: "no-room", message: "no room")],
      required: ["code", "message"]
    ),
  ]

  private static let sending = QueuedPrompt.Sending(
    departure: .init(
      clientTurnID: "turn-1-again",
      kind: .followUp,
      anchor: 12,
      messageCount: 3,
      stream: .session,
      epoch: "e1"
    ),
    at: MachineTime(timeOfDay: now, sinceBoot: .seconds(77))
  )

  private static let states: [QueuedPrompt.State] = [
    .waiting(retryAt: now), .departed(sending.departure, at: sending.at), .delivered(.queued),
    .failed, .expired, .unknown, .launched(at: sending.at),
  ]

  @Sendable private static func prompt(in state: QueuedPrompt.State) -> QueuedPrompt {
    var content = Prompt("do it", clientTurnID: "turn-1")
    content.images = [ImageAttachment(mediaType: "image/png", data: [1, 2, 255])]
    content.model = "anthropic/claude"
    content.thinking = .high
    content.title = "nightly"
    content.defaults = SessionDefaults(model: "a/b", thinking: .low)
    var prompt = QueuedPrompt(
      key: OutboxKey(digestOf: ["nightly"]),
      target: QueuedPrompt.Target(on: id, named: "studio"),
      content: content,
      createdAt: now
    )
    (prompt.target.workspaceID, prompt.target.workspaceName) = ("w1", "web")
    prompt.target.sessionID = "s1"
    (prompt.isKeyKept, prompt.expiresAt) = (true, now)
    prompt.content.conversation = "nightly"
    prompt.sessionID = "s2"
    (prompt.notBefore, prompt.expectedMessageCount) = (now, 7)
    prompt.content.budget = Budget(day: Dollars("2.5"), month: Dollars("40"))
    prompt.become(state, because: FailureReason(code: "no-room", message: "no room"), at: now)
    return prompt
  }

  private static let schedules: [RecordCase] = [
    RecordCase(
      "ScheduleRecord",
      ScheduleRecord.shape,
      [schedule],
      required: Set(ScheduleRecord.shape.members.map(\.name)).subtracting(later),
      strict: later,
      defaults: flags
    ),
    RecordCase(
      "ScheduleRun",
      ScheduleRun.shape,
      schedule.runs,
      required: ["startedAt", "state"]
    ),
  ]

  /// The members that files of earlier versions do not have.
  private static let later: Set<String> = [
    "pauseOnFailure", "pausedWithAll", "enabledAt", "seriesReported",
  ]
  private static let flags: JSONObject = [
    "pauseOnFailure": false, "pausedWithAll": false, "seriesReported": false,
  ]

  private static let schedule: ScheduleRecord = {
    let schedule = Schedule(
      name: "standup",
      trigger: ScheduleTrigger(.cron, "0 9 * * 1-5"),
      calendar: ["Mon..Fri *-*-* 09:00:00"],
      cron: ["0 9 * * 1-5"],
      zone: "Europe/Berlin"
    )
    var record = ScheduleRecord(schedule, at: now)
    record.enable(at: now)
    (record.schedule.pausesOnFailure, record.schedule.isPausedWithAll) = (true, true)
    _ = record.claim(now.moved(by: .seconds(60)), at: now)
    record.finish(now.moved(by: .seconds(60)), startedAt: now) { run in
      run.endedAt = now
      run.sessionID = "s1"
      run.workspace = WorkspaceReference(serverID: id, workspaceID: "w1")
      run.status = 75
      run.error = "no room"
      run.cost = Dollars("0.5")
    }
    record.isSeriesReported = true
    return record
  }()
}
