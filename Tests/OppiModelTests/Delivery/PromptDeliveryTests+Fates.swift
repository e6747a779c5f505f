// SPDX-License-Identifier: MIT

import OppiModel

extension PromptDeliveryTests {
  private static func idle(reportsRefusals: Bool) -> PromptDelivery.ServerCheck {
    .init(uptime: .seconds(99), status: .ready, events: [], reportsRefusals: reportsRefusals)
  }

  static let fates: [Story] = [
    Story(
      testDescription: "the server's first acknowledgement is not an acceptance",
      steps: [opened, .message(Messages.acknowledged("T", "accepted"))],
      sent: ["subscribe", "prompt"]
    ),
    Story(
      testDescription: "a prompt without a further acknowledgement is unknown at the deadline",
      steps: [
        opened, .message(Messages.connected("ready")), .message(Messages.state("ready")),
        .message(Messages.acknowledged("T", "accepted")), .time(.seconds(10)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .unknown(.silence)
    ),
    Story(
      testDescription: "events of another session do not start this prompt",
      steps: [opened] + taken + [
        .message(Messages.message(["type": "agent_start", "seq": 1, "sessionId": "other"])),
        .time(.seconds(1)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.accepted)
    ),
    Story(
      testDescription:
        "a prompt is accepted when the agent has it, and started when its run starts",
      steps: [opened] + taken + [.message(Messages.agentStart(1))],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.started)
    ),
    Story(
      testDescription: "a dispatched prompt without events for a second is accepted",
      steps: [opened] + taken + [.time(.seconds(1))],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.accepted)
    ),
    Story(
      testDescription: "an acceptance remains valid when the stream breaks",
      steps: [opened] + taken + [.event(.lost)],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.accepted)
    ),
    Story(
      testDescription: "a follow-up is queued once the server confirms it",
      isNew: false,
      steps: [
        opened, .message(Messages.connected("busy")),
        .message(Messages.acknowledged("T", "dispatched")),
      ],
      sent: ["subscribe", "follow_up"],
      verdict: .delivered(.queued)
    ),
    Story(
      testDescription: "a refusal of the agent may precede the server's result",
      steps: [opened] + taken + [
        .message(Messages.error("No API key", sequence: 1)), .event(.deleted(true)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .refused(.agentRefused("No API key")),
      wishes: [.close, .delete]
    ),
    Story(
      testDescription: "a refused prompt does not delete an existing session",
      isNew: false,
      steps: [opened] + taken + [.message(Messages.error("No API key", sequence: 1))],
      sent: ["subscribe", "prompt"],
      verdict: .refused(.agentRefused("No API key"))
    ),
    Story(
      testDescription: "an unrelated error before the acceptance is ignored",
      steps: [opened, .message(Messages.error("Permission request not found: x"))],
      sent: ["subscribe", "prompt"]
    ),
    Story(
      testDescription: "a full server refuses the prompt, and the empty session is deleted",
      steps: [
        opened,
        .message(
          Messages.result(prompt("subscribe"), failure: "Workspace session limit reached (20)")
        ),
        .event(.deleted(true)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .refused(.full("Workspace session limit reached (20)", code: nil)),
      wishes: [.close, .delete]
    ),
    Story(
      testDescription: "a full older server reports the limit and disconnects",
      steps: [
        openedOld, .message(Messages.connected("starting")),
        .message(
          Messages.error("Workspace session limit reached (3)", code: "SESSION_LIMIT_WORKSPACE")
        ),
        .event(.lost), .event(.deleted(true)),
      ],
      sent: ["prompt"],
      verdict: .refused(
        .full("Workspace session limit reached (3)", code: "SESSION_LIMIT_WORKSPACE")
      ),
      wishes: [.close, .delete]
    ),
    Story(
      testDescription: "a failed agent start on an older server keeps the server's reason",
      steps: [
        openedOld, .message(Messages.connected("starting")),
        .message(Messages.error("Sandbox mode requires QEMU")), .event(.lost),
        .event(.deleted(true)),
      ],
      sent: ["prompt"],
      verdict: .refused(.startFailed("Sandbox mode requires QEMU")),
      wishes: [.close, .delete]
    ),
    Story(
      testDescription: "an error after the agent start of an older server is not a failed start",
      steps: [
        openedOld, .message(Messages.connected("starting")), .message(Messages.state("ready")),
        .message(Messages.error("anything")), .event(.lost),
      ],
      sent: ["prompt"],
      wishes: [.open]
    ),
    Story(
      testDescription: "a prompt without any response has an unknown delivery",
      steps: [
        opened, .message(Messages.connected("ready")), .message(Messages.state("ready")),
        .time(.seconds(10)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .unknown(.silence)
    ),
    Story(
      testDescription: "a prompt whose agent does not start in time is unknown",
      steps: [opened, .time(.seconds(10))],
      sent: ["subscribe", "prompt"],
      verdict: .unknown(.starting)
    ),
    Story(
      testDescription: "a prompt that was not sent before the deadline is not sent",
      isNew: false,
      steps: [opened, .time(.seconds(10))],
      sent: ["subscribe"],
      verdict: .notSent
    ),
    Story(
      testDescription: "a wait for a turn includes a slow agent start",
      waits: true,
      steps: [opened, .time(.seconds(60))] + taken + [.message(Messages.agentStart(1))],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.started)
    ),
    Story(
      testDescription: "an older server is queried about a prompt without events",
      waits: true,
      steps: [
        openedOld, .message(Messages.connected("starting")), .message(Messages.state("ready")),
        .message(Messages.acknowledged("T", "dispatched")), .time(.seconds(3)),
        .event(.looked(idle(reportsRefusals: false))), .time(.seconds(3)),
        .event(.looked(idle(reportsRefusals: false))),
      ],
      sent: ["prompt"],
      verdict: .refused(.silent),
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      testDescription:
        "an idle agent of an early /stream server has refused a prompt without events",
      waits: true,
      steps: [opened] + taken + [
        .time(.seconds(3)), .event(.looked(idle(reportsRefusals: false))), .time(.seconds(3)),
        .event(.looked(idle(reportsRefusals: false))),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .refused(.silent),
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      testDescription: "a prompt without events is unknown if the server reports refusals",
      waits: true,
      steps: [opened] + taken + [
        .time(.seconds(3)), .event(.looked(idle(reportsRefusals: true))), .time(.seconds(3)),
        .event(.looked(idle(reportsRefusals: true))),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .unknown(.silence),
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      testDescription: "of two concurrent prompts, the refused one is known by the other's text",
      isNew: false,
      steps: [opened] + taken + [
        .message(Messages.error("Agent is already processing. Wait.", sequence: 1)),
        .message(Messages.agentStart(2)), .message(Messages.user("another", 3)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .refused(.busy)
    ),
    Story(
      testDescription: "another prompt's text alone does not mean a refusal",
      isNew: false,
      steps: [opened] + taken + [
        .message(Messages.agentStart(1)), .message(Messages.user("another", 2)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.accepted)
    ),
    Story(
      testDescription: "messages of the previous turn do not belong to this turn",
      isNew: false,
      steps: [
        opened, .message(Messages.connected("busy", sequence: 4)),
        .message(Messages.agentStart(5)),
        .message(
          Messages.result(
            prompt("prompt"),
            failure: "Follow-up requires an active streaming turn"
          )
        ),
        .message(Messages.acknowledged("T-again", "dispatched")),
        .message(Messages.user("do it", 6)),
      ],
      sent: ["subscribe", "follow_up", "prompt"],
      verdict: .delivered(.started)
    ),
    Story(
      testDescription: "of two concurrent prompts, the accepted one is known by its own text",
      isNew: false,
      steps: [opened] + taken + [
        .message(Messages.error("Agent is already processing. Wait.", sequence: 1)),
        .message(Messages.agentStart(2)), .message(Messages.user("do it", 3)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.started)
    ),
  ]
}
