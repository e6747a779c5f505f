// SPDX-License-Identifier: MIT

@testable import OppiModel

extension PromptDeliveryTests {
  private static func idle(reportsRefusals: Bool) -> PromptDelivery.ServerCheck {
    .init(uptime: .seconds(99), status: .ready, events: [], reportsRefusals: reportsRefusals)
  }

  /// Queries, each after three silent seconds.
  private static func silence(_ checks: PromptDelivery.ServerCheck...) -> [Story.Step] {
    checks.flatMap { [.time(.seconds(3)), .event(.looked($0))] }
  }

  /// Another turn began first.
  private static let busyAgent = Story.Step.message(
    .error("Agent is already processing. Wait.", sequence: 1)
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
      rule: "the server's first acknowledgement is not an acceptance",
      steps: [opened, .message(.acknowledged("T", "accepted"))]
    ),
    Story(
      rule: "a prompt without a further acknowledgement is unknown at the deadline",
      steps: [
        opened, .message(.connected("ready")), .message(.state("ready")),
        .message(.acknowledged("T", "accepted")), .time(.seconds(10)),
      ],
      verdict: .unknown(.silence)
    ),
    Story(
      rule: "events of another session do not start this prompt",
      steps: [opened] + taken + [
        .message(.message(["type": "agent_start", "seq": 1, "sessionId": "other"])),
        .time(.seconds(1)),
      ],
      verdict: .delivered(.accepted)
    ),
    Story(
      rule: "a prompt is accepted when the agent has it, and started when its run starts",
      steps: [opened] + taken + [.message(.agentStart(1))],
      verdict: .delivered(.started)
    ),
    Story(
      rule: "a dispatched prompt without events for a second is accepted",
      steps: [opened] + taken + [.time(.seconds(1))],
      verdict: .delivered(.accepted)
    ),
    Story(
      rule: "an acceptance remains valid when the stream breaks",
      steps: [opened] + taken + [.event(.lost)],
      verdict: .delivered(.accepted)
    ),
    Story(
      rule: "a follow-up is queued once the server confirms it",
      isNew: false,
      steps: [opened, .message(.connected("busy")), .message(.acknowledged("T", "dispatched"))],
      sent: ["subscribe", "follow_up"],
      verdict: .delivered(.queued)
    ),
    Story(
      rule: "a refusal of the agent may precede the server's result",
      steps: [opened] + taken + [
        .message(.error("No API key", sequence: 1)), .event(.deleted),
      ],
      verdict: .refused(.agentRefused("No API key")),
      wishes: [.close, .delete]
    ),
    Story(
      rule: "a refused prompt does not delete an existing session",
      isNew: false,
      steps: [opened] + taken + [.message(.error("No API key", sequence: 1))],
      verdict: .refused(.agentRefused("No API key"))
    ),
    Story(
      rule: "an unrelated error before the acceptance is ignored",
      steps: [opened, .message(.error("Permission request not found: x"))]
    ),
    Story(
      rule: "an error that belongs to no turn does not refuse an accepted prompt",
      steps: [opened] + taken + [
        .message(.error("Permission request not found: x")), .time(.seconds(1)),
      ],
      verdict: .delivered(.accepted)
    ),
    Story(
      rule: "a fatal error refuses an accepted prompt",
      isNew: false,
      steps: [opened] + taken + [
        .message(.message(["type": "error", "error": "No API key", "fatal": true]))
      ],
      verdict: .refused(.agentRefused("No API key"))
    ),
    Story(
      rule: "a prompt is not sent if the server refuses its level",
      isNew: false,
      thinking: .high,
      steps: [
        opened, .message(.connected("ready")), .message(.result(prompt("level"), failure: "no")),
      ],
      sent: ["subscribe", "set_thinking_level"],
      verdict: .refused(.rejected("no", code: nil))
    ),
    Story(
      rule: "a session that is gone is no failed start",
      isNew: false,
      steps: [opened, .message(.result(prompt("subscribe"), failure: "Session not found: S"))],
      sent: ["subscribe"],
      verdict: .refused(.rejected("Session not found: S", code: nil))
    ),
    Story(
      rule: "a limit of subscriptions is no failed start",
      isNew: false,
      steps: [opened, .message(.result(prompt("subscribe"), failure: "Subscribe rate limit"))],
      sent: ["subscribe"],
      verdict: .refused(.rejected("Subscribe rate limit", code: nil))
    ),
    Story(
      rule: "a full server refuses the prompt, and the empty session is deleted",
      steps: [
        opened,
        .message(.result(prompt("subscribe"), failure: "Workspace session limit reached (20)")),
        .event(.deleted),
      ],
      verdict: .refused(.full("Workspace session limit reached (20)", code: nil)),
      wishes: [.close, .delete]
    ),
    Story(
      rule: "a full older server reports the limit and disconnects",
      steps: [
        openedOld, .message(.connected("starting")),
        .message(.error("Workspace session limit reached (3)", code: "SESSION_LIMIT_WORKSPACE")),
        .event(.lost), .event(.deleted),
      ],
      sent: ["prompt"],
      verdict: .refused(
        .full("Workspace session limit reached (3)", code: "SESSION_LIMIT_WORKSPACE")
      ),
      wishes: [.close, .delete]
    ),
    Story(
      rule: "a full server is known by its code, whatever its words are",
      steps: [
        openedOld, .message(.connected("starting")),
        .message(.error("no room", code: "SESSION_LIMIT_GLOBAL")), .event(.lost),
        .event(.deleted),
      ],
      sent: ["prompt"],
      verdict: .refused(.full("no room", code: "SESSION_LIMIT_GLOBAL")),
      wishes: [.close, .delete]
    ),
    Story(
      rule: "a failed agent start on an older server keeps the server's reason",
      steps: [
        openedOld, .message(.connected("starting")), .message(.error("Sandbox mode requires QEMU")),
        .event(.lost), .event(.deleted),
      ],
      sent: ["prompt"],
      verdict: .refused(.startFailed("Sandbox mode requires QEMU")),
      wishes: [.close, .delete]
    ),
    Story(
      rule: "an error after the agent start of an older server is not a failed start",
      steps: [
        openedOld, .message(.connected("starting")), .message(.state("ready")),
        .message(.error("anything")), .event(.lost),
      ],
      sent: ["prompt"],
      wishes: [.open]
    ),
    Story(
      rule: "a prompt without any response has an unknown delivery",
      steps: [
        opened, .message(.connected("ready")), .message(.state("ready")), .time(.seconds(10)),
      ],
      verdict: .unknown(.silence)
    ),
    Story(
      rule: "a prompt whose agent does not start in time is unknown",
      steps: [opened, .time(.seconds(10))],
      verdict: .unknown(.starting)
    ),
    Story(
      rule: "a prompt that was not sent before the deadline is not sent",
      isNew: false,
      steps: [opened, .time(.seconds(10))],
      sent: ["subscribe"],
      verdict: .notSent
    ),
    Story(
      rule: "a wait for a turn includes a slow agent start",
      waits: true,
      steps: [opened, .time(.seconds(60))] + taken + [.message(.agentStart(1))],
      verdict: .delivered(.started)
    ),
    Story(
      rule: "an older server is queried about a prompt without events",
      waits: true,
      steps: [
        openedOld, .message(.connected("starting")), .message(.state("ready")),
        .message(.acknowledged("T", "dispatched")),
      ] + silence(idle(reportsRefusals: false), idle(reportsRefusals: false)),
      sent: ["prompt"],
      verdict: .refused(.silent),
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      rule: "an idle agent of an early /stream server has refused a prompt without events",
      waits: true,
      steps: [opened] + taken
        + silence(idle(reportsRefusals: false), idle(reportsRefusals: false)),
      verdict: .refused(.silent),
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      rule: "a busy agent has not refused a prompt without events",
      waits: true,
      steps: [opened] + taken + silence(busy, busy),
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      rule: "an agent whose events are unknown has not refused a prompt",
      waits: true,
      steps: [opened] + taken + silence(eventless, eventless),
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      rule: "an agent that is idle again has not refused a prompt",
      waits: true,
      steps: [opened] + taken
        + silence(idle(reportsRefusals: false), busy, idle(reportsRefusals: false)),
      wishes: [.look(since: 0), .look(since: 0), .look(since: 0)]
    ),
    Story(
      rule: "an agent that compacts its context has not refused a prompt",
      waits: true,
      steps: [opened] + taken + [
        .time(.seconds(3)), .event(.looked(idle(reportsRefusals: false))),
        .message(.message(["type": "compaction_start"])), .time(.seconds(3)),
        .event(.looked(idle(reportsRefusals: false))),
      ],
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      rule: "a prompt without events is unknown if the server reports refusals",
      waits: true,
      steps: [opened] + taken
        + silence(idle(reportsRefusals: true), idle(reportsRefusals: true)),
      verdict: .unknown(.silence),
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      rule: "of two concurrent prompts, the refused one is known by the other's text",
      isNew: false,
      steps: [opened] + taken + [
        busyAgent, .message(.agentStart(2)), .message(.user("another", 3)),
      ],
      verdict: .refused(.busy)
    ),
    Story(
      rule: "a prompt that the agent may have refused is awaited for a second, also for its turn",
      isNew: false,
      waits: true,
      steps: [opened] + taken + [busyAgent, .time(.seconds(1))],
      verdict: .refused(.busy)
    ),
    Story(
      rule: "whether a prompt was refused is unknown without the stream",
      isNew: false,
      steps: [opened] + taken + [busyAgent, .event(.lost)],
      verdict: .unknown(.lost)
    ),
    Story(
      rule: "whether a prompt was refused is unknown if the server accepts this client no longer",
      isNew: false,
      steps: [opened] + taken + [busyAgent, .event(.shutOut)],
      verdict: .unknown(.shutOut)
    ),
    Story(
      rule: "whether a prompt was refused is unknown after its session",
      isNew: false,
      steps: [opened] + taken + [
        busyAgent, .message(.message(["type": "session_ended", "sessionId": "S"])),
      ],
      verdict: .unknown(.agentGone)
    ),
    Story(
      rule: "another prompt's text alone does not mean a refusal",
      isNew: false,
      steps: [opened] + taken + [.message(.agentStart(1)), .message(.user("another", 2))],
      verdict: .delivered(.accepted)
    ),
    Story(
      rule: "messages of the previous turn do not belong to this turn",
      isNew: false,
      steps: [
        opened, .message(.connected("busy", sequence: 4)), .message(.agentStart(5)),
        .message(.result(prompt("prompt"), failure: "Follow-up requires an active streaming turn")),
        .message(.acknowledged("T-again", "dispatched")), .message(.user("do it", 6)),
      ],
      sent: ["subscribe", "follow_up", "prompt"],
      verdict: .delivered(.started)
    ),
    Story(
      rule: "of two concurrent prompts, the accepted one is known by its own text",
      isNew: false,
      steps: [opened] + taken + [
        busyAgent, .message(.agentStart(2)), .message(.user("do it", 3)),
      ],
      verdict: .delivered(.started)
    ),
  ]
}
