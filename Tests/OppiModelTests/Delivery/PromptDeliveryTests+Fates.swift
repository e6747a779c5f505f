// SPDX-License-Identifier: MIT

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

extension PromptDeliveryTests {
  private static func idle(reportsRefusals: Bool) -> PromptDelivery.ServerCheck {
    .init(uptime: .seconds(99), status: .ready, events: [], reportsRefusals: reportsRefusals)
  }

  private static func idle(after events: ServerMessage...) -> PromptDelivery.ServerCheck {
    .init(uptime: .seconds(99), status: .ready, events: events, reportsRefusals: false)
  }

  private static let retry = ServerMessage(
    .retryStart(attempt: 1, of: 3, delay: .seconds(2), error: "overloaded"),
    sequence: 1
  )
  private static let compaction = ServerMessage(.compactionStart, sequence: 1)

  /// Queries, each after three silent seconds.
  private static func silence(_ checks: PromptDelivery.ServerCheck...) -> [Story.Step] {
    checks.flatMap { [.time(.seconds(3)), .looked($0)] }
  }

  /// Another turn began first.
  private static let busyAgent = Story.Step.error(
    "Agent is already processing. Wait.",
    sequence: 1
  )

  private static let busy = PromptDelivery.ServerCheck(
    uptime: .seconds(99),
    status: .busy,
    events: [],
    reportsRefusals: false
  )

  /// The answer of a server that has not kept the events.
  private static let eventless = PromptDelivery.ServerCheck(
    uptime: .seconds(99),
    status: .ready,
    reportsRefusals: false
  )

  static let fates: [Story] = [
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
      "events of another session do not start this prompt",
      accepted + [
        .message(["type": "agent_start", "seq": 1, "sessionId": "other"]), .time(.seconds(1)),
      ],
      verdict: .delivered(.accepted)
    ),
    Story(
      "a prompt is accepted when the agent has it, and started when its run starts",
      accepted + [.agentStart(1)],
      verdict: .delivered(.started)
    ),
    Story(
      "a dispatched prompt without events for a second is accepted",
      accepted + [.time(.seconds(1))],
      verdict: .delivered(.accepted)
    ),
    Story(
      "an acceptance remains valid when the stream breaks",
      accepted + [.lost],
      verdict: .delivered(.accepted)
    ),
    Story(
      "a follow-up is queued once the server confirms it",
      isNew: false,
      [opened, .connected("busy"), .acknowledged("T", "dispatched")],
      sent: "subscribe follow_up",
      verdict: .delivered(.queued)
    ),
    Story(
      "a refusal of the agent may precede the server's result",
      accepted + [.error("No API key", sequence: 1), .deleted],
      verdict: .refused(.agentRefused("No API key")),
      wishes: removed
    ),
    Story(
      "a refused prompt does not delete an existing session",
      isNew: false,
      accepted + [.error("No API key", sequence: 1)],
      verdict: .refused(.agentRefused("No API key"))
    ),
    Story(
      "an unrelated error before the acceptance is ignored",
      [opened, .error("Permission request not found: x")]
    ),
    Story(
      "an error that belongs to no turn does not refuse an accepted prompt",
      accepted + [.error("Permission request not found: x"), .time(.seconds(1))],
      verdict: .delivered(.accepted)
    ),
    Story(
      "a fatal error refuses an accepted prompt",
      isNew: false,
      accepted + [.message(["type": "error", "error": "No API key", "fatal": true])],
      verdict: .refused(.agentRefused("No API key"))
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
      "a session that is gone is no failed start",
      isNew: false,
      [opened, .result("T.1.subscribe", failure: "Session not found: S")],
      sent: "subscribe",
      verdict: .refused(.rejected("Session not found: S", code: nil))
    ),
    Story(
      "a limit of subscriptions is no failed start",
      isNew: false,
      [opened, .result("T.1.subscribe", failure: "Subscribe rate limit")],
      sent: "subscribe",
      verdict: .refused(.rejected("Subscribe rate limit", code: nil))
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
      "a full older server reports the limit and disconnects",
      [
        openedOld, .connected("starting"),
        .error("Workspace session limit reached (3)", code: "SESSION_LIMIT_WORKSPACE"), .lost,
        .deleted,
      ],
      sent: "prompt",
      verdict: .refused(
        .full("Workspace session limit reached (3)", code: "SESSION_LIMIT_WORKSPACE")
      ),
      wishes: removed
    ),
    Story(
      "a full server is known by its code, whatever its words are",
      [
        openedOld, .connected("starting"), .error("no room", code: "SESSION_LIMIT_GLOBAL"), .lost,
        .deleted,
      ],
      sent: "prompt",
      verdict: .refused(.full("no room", code: "SESSION_LIMIT_GLOBAL")),
      wishes: removed
    ),
    Story(
      "a failed agent start on an older server keeps the server's reason",
      [openedOld, .connected("starting"), .error("Sandbox mode requires QEMU"), .lost, .deleted],
      sent: "prompt",
      verdict: .refused(.startFailed("Sandbox mode requires QEMU")),
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
      "a wait for a turn includes a slow agent start",
      waits: true,
      [opened, .time(.seconds(60))] + taken + [.agentStart(1)],
      verdict: .delivered(.started)
    ),
    Story(
      "an older server is queried about a prompt without events",
      waits: true,
      [openedOld, .connected("starting"), .state("ready"), .acknowledged("T", "dispatched")]
        + silence(idle(reportsRefusals: false), idle(reportsRefusals: false)),
      sent: "prompt",
      verdict: .refused(.silent),
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      "an idle agent of an early /stream server has refused a prompt without events",
      waits: true,
      accepted + silence(idle(reportsRefusals: false), idle(reportsRefusals: false)),
      verdict: .refused(.silent),
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      "a busy agent has not refused a prompt without events",
      waits: true,
      accepted + silence(busy, busy),
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      "an agent whose events are unknown has not refused a prompt",
      waits: true,
      accepted + silence(eventless, eventless),
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      "an agent that is idle again has not refused a prompt",
      waits: true,
      accepted + silence(idle(reportsRefusals: false), busy, idle(reportsRefusals: false)),
      wishes: [.look(since: 0), .look(since: 0), .look(since: 0)]
    ),
    Story(
      "an agent that compacts its context has not refused a prompt",
      waits: true,
      accepted + [
        .time(.seconds(3)), .looked(idle(reportsRefusals: false)),
        .message(["type": "compaction_start"]), .time(.seconds(3)),
        .looked(idle(reportsRefusals: false)),
      ],
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      "a prompt is unknown if an idle agent has done something that the stream did not bring",
      isNew: false,
      waits: true,
      accepted + silence(idle(after: retry, .agentStart(2)), idle(after: retry, .agentStart(2))),
      verdict: .unknown(.silence),
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      "an agent that pauses before a retry has not refused a prompt",
      isNew: false,
      waits: true,
      accepted + silence(idle(after: .agentStart(1), retry), idle(after: .agentStart(1), retry)),
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      "an agent that compacts its context has not refused a prompt, whatever the stream brings",
      isNew: false,
      waits: true,
      accepted + silence(idle(after: compaction), idle(after: compaction)),
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      "a prompt without events is unknown if the server reports refusals",
      waits: true,
      accepted + silence(idle(reportsRefusals: true), idle(reportsRefusals: true)),
      verdict: .unknown(.silence),
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      "of two concurrent prompts, the refused one is known by the other's text",
      isNew: false,
      accepted + [busyAgent, .agentStart(2), .user("another", 3)],
      verdict: .refused(.busy)
    ),
    Story(
      "a prompt that the agent may have refused is awaited for a second, also for its turn",
      isNew: false,
      waits: true,
      accepted + [busyAgent, .time(.seconds(1))],
      verdict: .refused(.busy)
    ),
    Story(
      "whether a prompt was refused is unknown without the stream",
      isNew: false,
      accepted + [busyAgent, .lost],
      verdict: .unknown(.lost)
    ),
    Story(
      "whether a prompt was refused is unknown if the server accepts this client no longer",
      isNew: false,
      accepted + [busyAgent, .shutOut],
      verdict: .unknown(.shutOut)
    ),
    Story(
      "whether a prompt was refused is unknown after its session",
      isNew: false,
      accepted + [busyAgent, .message(["type": "session_ended", "sessionId": "S"])],
      verdict: .unknown(.agentGone)
    ),
    Story(
      "another prompt's text alone does not mean a refusal",
      isNew: false,
      accepted + [.agentStart(1), .user("another", 2)],
      verdict: .delivered(.accepted)
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
    Story(
      "of two concurrent prompts, the accepted one is known by its own text",
      isNew: false,
      accepted + [busyAgent, .agentStart(2), .user("do it", 3)],
      verdict: .delivered(.started)
    ),
  ]
}
