// SPDX-License-Identifier: MIT

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

extension PromptDeliveryTests {
  static let fates: [Story] =
    beforeAcceptance + acceptances + subscriptionFailures + startFailures + silences

  private typealias Verdict = PromptDelivery.Verdict

  // MARK: - Before the acceptance

  private static let beforeAcceptance: [Story] = [
    Story(
      "the server's first acknowledgement is not an acceptance",
      [opened, .acknowledged("T", "accepted")]
    ),
    Story(
      "a prompt without a further acknowledgement is unknown at the deadline",
      [
        opened, .connected("ready"), .state("ready"), .acknowledged("T", "accepted"),
        .time(.seconds(10)),
      ],
      verdict: .unknown(.silence)
    ),
    Story(
      "a follow-up is queued once the server confirms it",
      isNew: false,
      [opened, .connected("busy"), .acknowledged("T", "dispatched")],
      sent: "subscribe follow_up",
      verdict: .delivered(.queued)
    ),
    Story(
      "an unrelated error before the acceptance is ignored",
      [opened, .error("Permission request not found: x")]
    ),
    Story(
      "a prompt is not sent if the server refuses its level",
      isNew: false,
      thinking: .high,
      [opened, .connected("ready"), .result("T.1.level", failure: "no")],
      sent: "subscribe set_thinking_level",
      verdict: .refused(.rejected("no", code: nil))
    ),
    Story(
      "a full server refuses the prompt, and the empty session is deleted",
      [
        opened, .result("T.1.subscribe", failure: "Workspace session limit reached (20)"), .deleted,
      ],
      verdict: .refused(.full("Workspace session limit reached (20)", code: nil)),
      wishes: removed
    ),
    Story(
      "an error after the agent start of an older server is not a failed start",
      [openedOld, .connected("starting"), .state("ready"), .error("anything"), .lost],
      sent: "prompt",
      wishes: [.open]
    ),
    Story(
      "a prompt without any response has an unknown delivery",
      [opened, .connected("ready"), .state("ready"), .time(.seconds(10))],
      verdict: .unknown(.silence)
    ),
    Story(
      "a prompt whose agent does not start in time is unknown",
      [opened, .time(.seconds(10))],
      verdict: .unknown(.starting)
    ),
    Story(
      "a prompt that was not sent before the deadline is not sent",
      isNew: false,
      [opened, .time(.seconds(10))],
      sent: "subscribe",
      verdict: .notSent
    ),
    Story(
      "messages of the previous turn do not belong to this turn",
      isNew: false,
      [
        opened, .connected("busy", sequence: 4), .agentStart(5),
        .result("T.1.prompt", failure: "Follow-up requires an active streaming turn"),
        .acknowledged("T-again", "dispatched"), .user("do it", 6),
      ],
      sent: "subscribe follow_up prompt",
      verdict: .delivered(.started)
    ),
  ]

  private static let subscriptionFailures = [
    ("a session that is gone is no failed start", "Session not found: S"),
    ("a limit of subscriptions is no failed start", "Subscribe rate limit"),
  ].map { name, failure in
    Story(
      name,
      isNew: false,
      [opened, .result("T.1.subscribe", failure: failure)],
      sent: "subscribe",
      verdict: .refused(.rejected(failure, code: nil))
    )
  }

  /// What an older server says before it disconnects.
  private static let startFailures = [
    (
      "a full older server reports the limit and disconnects",
      .error("Workspace session limit reached (3)", code: "SESSION_LIMIT_WORKSPACE"),
      .full("Workspace session limit reached (3)", code: "SESSION_LIMIT_WORKSPACE")
    ),
    (
      "a full server is known by its code, whatever its words are",
      .error("no room", code: "SESSION_LIMIT_GLOBAL"),
      .full("no room", code: "SESSION_LIMIT_GLOBAL")
    ),
    (
      "a failed agent start on an older server keeps the server's reason",
      .error("Sandbox mode requires QEMU"), .startFailed("Sandbox mode requires QEMU")
    ),
  ].map { (name: String, error: Story.Step, refusal: PromptDelivery.Refusal) in
    Story(
      name,
      [openedOld, .connected("starting"), error, .lost, .deleted],
      sent: "prompt",
      verdict: .refused(refusal),
      wishes: removed
    )
  }

  // MARK: - After the acceptance

  /// Another turn began first.
  private static let busyAgent = Story.Step.error(
    "Agent is already processing. Wait.",
    sequence: 1
  )

  private static let acceptances: [Story] =
    [
      Story(
        "a refusal of the agent may precede the server's result",
        accepted + [.error("No API key", sequence: 1), .deleted],
        verdict: .refused(.agentRefused("No API key")),
        wishes: removed
      ),
      Story(
        "a wait for a turn includes a slow agent start",
        waits: true,
        [opened, .time(.seconds(60))] + taken + [.agentStart(1)],
        verdict: .delivered(.started)
      ),
      Story(
        "a prompt that the agent may have refused is awaited for a second, also for its turn",
        isNew: false,
        waits: true,
        accepted + [busyAgent, .time(.seconds(1))],
        verdict: .refused(.busy)
      ),
    ]
    + inNewSession.map { Story($0, accepted + $1, verdict: $2) }
    + inExistingSession.map { Story($0, isNew: false, accepted + $1, verdict: $2) }

  private static let inNewSession: [(String, [Story.Step], Verdict)] = [
    (
      "events of another session do not start this prompt",
      [.message(["type": "agent_start", "seq": 1, "sessionId": "other"]), .time(.seconds(1))],
      .delivered(.accepted)
    ),
    (
      "a prompt is accepted when the agent has it, and started when its run starts",
      [.agentStart(1)], .delivered(.started)
    ),
    (
      "a dispatched prompt without events for a second is accepted",
      [.time(.seconds(1))], .delivered(.accepted)
    ),
    ("an acceptance remains valid when the stream breaks", [.lost], .delivered(.accepted)),
    (
      "an error that belongs to no turn does not refuse an accepted prompt",
      [.error("Permission request not found: x"), .time(.seconds(1))], .delivered(.accepted)
    ),
  ]

  private static let inExistingSession: [(String, [Story.Step], Verdict)] = [
    (
      "a refused prompt does not delete an existing session",
      [.error("No API key", sequence: 1)], .refused(.agentRefused("No API key"))
    ),
    (
      "a fatal error refuses an accepted prompt",
      [.message(["type": "error", "error": "No API key", "fatal": true])],
      .refused(.agentRefused("No API key"))
    ),
    (
      "of two concurrent prompts, the refused one is known by the other's text",
      [busyAgent, .agentStart(2), .user("another", 3)], .refused(.busy)
    ),
    (
      "of two concurrent prompts, the accepted one is known by its own text",
      [busyAgent, .agentStart(2), .user("do it", 3)], .delivered(.started)
    ),
    (
      "another prompt's text alone does not mean a refusal",
      [.agentStart(1), .user("another", 2)], .delivered(.accepted)
    ),
    (
      "whether a prompt was refused is unknown without the stream",
      [busyAgent, .lost], .unknown(.lost)
    ),
    (
      "whether a prompt was refused is unknown if the server accepts this client no longer",
      [busyAgent, .shutOut], .unknown(.shutOut)
    ),
    (
      "whether a prompt was refused is unknown after its session",
      [busyAgent, .message(["type": "session_ended", "sessionId": "S"])], .unknown(.agentGone)
    ),
  ]

  // MARK: - Silence after the acceptance

  /// The answer of a server to a query; `nil` for events that it has not kept.
  private static func check(
    _ status: Session.Status = .ready,
    after events: [ServerMessage]? = [],
    reportsRefusals: Bool = false
  ) -> PromptDelivery.ServerCheck {
    .init(
      uptime: .seconds(99),
      status: status,
      events: events,
      reportsRefusals: reportsRefusals
    )
  }

  private static let idle = check()
  private static let retry = ServerMessage(
    .retryStart(attempt: 1, of: 3, delay: .seconds(2), error: "overloaded"),
    sequence: 1
  )
  private static let compaction = ServerMessage(.compactionStart, sequence: 1)

  /// Queries, each after three silent seconds.
  private static func silence(_ checks: [PromptDelivery.ServerCheck]) -> [Story.Step] {
    checks.flatMap { [.time(.seconds(3)), .looked($0)] }
  }

  private static let silences: [Story] =
    [
      Story(
        "an older server is queried about a prompt without events",
        waits: true,
        [openedOld, .connected("starting"), .state("ready"), .acknowledged("T", "dispatched")]
          + silence([idle, idle]),
        sent: "prompt",
        verdict: .refused(.silent),
        wishes: [.look(since: 0), .look(since: 0)]
      ),
      Story(
        "an agent that compacts its context has not refused a prompt",
        waits: true,
        accepted + silence([idle]) + [.message(["type": "compaction_start"])] + silence([idle]),
        wishes: [.look(since: 0), .look(since: 0)]
      ),
    ]
    + silentTurns.map { name, isNew, checks, verdict in
      Story(
        name,
        isNew: isNew,
        waits: true,
        accepted + silence(checks),
        verdict: verdict,
        wishes: checks.map { _ in .look(since: 0) }
      )
    }

  private static let silentTurns: [(String, isNew: Bool, [PromptDelivery.ServerCheck], Verdict?)] =
    [
      (
        "an idle agent of an early /stream server has refused a prompt without events",
        true, [idle, idle], .refused(.silent)
      ),
      (
        "a busy agent has not refused a prompt without events",
        true, [check(.busy), check(.busy)], nil
      ),
      (
        "an agent whose events are unknown has not refused a prompt",
        true, [check(after: nil), check(after: nil)], nil
      ),
      (
        "an agent that is idle again has not refused a prompt",
        true, [idle, check(.busy), idle], nil
      ),
      (
        "a prompt is unknown if an idle agent has done something that the stream did not bring",
        false, Array(repeating: check(after: [retry, .agentStart(2)]), count: 2), .unknown(.silence)
      ),
      (
        "an agent that pauses before a retry has not refused a prompt",
        false, Array(repeating: check(after: [.agentStart(1), retry]), count: 2), nil
      ),
      (
        "an agent that compacts its context has not refused a prompt, whatever the stream brings",
        false, Array(repeating: check(after: [compaction]), count: 2), nil
      ),
      (
        "a prompt without events is unknown if the server reports refusals",
        true, Array(repeating: check(reportsRefusals: true), count: 2), .unknown(.silence)
      ),
    ]
}
