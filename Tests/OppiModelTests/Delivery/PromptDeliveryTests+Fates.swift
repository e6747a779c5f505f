// SPDX-License-Identifier: MIT

import OppiModel

extension PromptDeliveryTests {
  private static func idle(reportsRefusals: Bool) -> PromptDelivery.Sighting {
    .init(uptime: .seconds(99), status: .ready, events: [], reportsRefusals: reportsRefusals)
  }

  static let fates: [Story] = [
    Story(
      testDescription: "that the server has read it is no acceptance",
      steps: [opened, .message(Messages.acknowledged("T", "accepted"))],
      sent: ["subscribe", "prompt"]
    ),
    Story(
      testDescription: "a prompt that was only read is of unknown fate when the time is over",
      steps: [
        opened, .message(Messages.connected("ready")), .message(Messages.state("ready")),
        .message(Messages.acknowledged("T", "accepted")), .time(.seconds(10)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .unknown(.silence)
    ),
    Story(
      testDescription: "what another session's agent does is not this prompt's",
      steps: [opened] + taken + [
        .message(Messages.message(["type": "agent_start", "seq": 1, "sessionId": "other"])),
        .time(.seconds(1)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.accepted)
    ),
    Story(
      testDescription: "a prompt is accepted when the agent has it, and started when it begins",
      steps: [opened] + taken + [.message(Messages.agentStart(1))],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.started)
    ),
    Story(
      testDescription: "an agent that shows nothing for a second has accepted",
      steps: [opened] + taken + [.time(.seconds(1))],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.accepted)
    ),
    Story(
      testDescription: "an acceptance stands when the stream breaks",
      steps: [opened] + taken + [.event(.lost)],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.accepted)
    ),
    Story(
      testDescription: "a follow-up is queued by the server's word",
      isNew: false,
      steps: [
        opened, .message(Messages.connected("busy")),
        .message(Messages.acknowledged("T", "dispatched")),
      ],
      sent: ["subscribe", "follow_up"],
      verdict: .delivered(.queued)
    ),
    Story(
      testDescription: "a refusal of the agent may come before the server's own answer",
      steps: [opened] + taken + [
        .message(Messages.error("No API key", sequence: 1)), .event(.deleted(true)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .refused(.agentRefused("No API key")),
      wishes: [.close, .delete]
    ),
    Story(
      testDescription: "what a session's agent refuses leaves an existing session in place",
      isNew: false,
      steps: [opened] + taken + [.message(Messages.error("No API key", sequence: 1))],
      sent: ["subscribe", "prompt"],
      verdict: .refused(.agentRefused("No API key"))
    ),
    Story(
      testDescription: "an error that names nothing says nothing before the acceptance",
      steps: [opened, .message(Messages.error("Permission request not found: x"))],
      sent: ["subscribe", "prompt"]
    ),
    Story(
      testDescription: "a full server is no place, and the empty session is removed",
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
      testDescription: "an older server that is full says so and hangs up",
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
      testDescription: "an older server that cannot start the agent keeps its reason",
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
      testDescription: "an error after an older server's agent has started is no failed start",
      steps: [
        openedOld, .message(Messages.connected("starting")), .message(Messages.state("ready")),
        .message(Messages.error("anything")), .event(.lost),
      ],
      sent: ["prompt"],
      wishes: [.open]
    ),
    Story(
      testDescription: "silence is an unknown delivery",
      steps: [
        opened, .message(Messages.connected("ready")), .message(Messages.state("ready")),
        .time(.seconds(10)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .unknown(.silence)
    ),
    Story(
      testDescription: "an agent that does not start in time may run the prompt later",
      steps: [opened, .time(.seconds(10))],
      sent: ["subscribe", "prompt"],
      verdict: .unknown(.starting)
    ),
    Story(
      testDescription: "a prompt that never left is known not to have been sent",
      isNew: false,
      steps: [opened, .time(.seconds(10))],
      sent: ["subscribe"],
      verdict: .notSent
    ),
    Story(
      testDescription: "a slow start is a part of the wait for a turn",
      waits: true,
      steps: [opened, .time(.seconds(60))] + taken + [.message(Messages.agentStart(1))],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.started)
    ),
    Story(
      testDescription: "an older server is asked about a prompt that nothing comes of",
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
      testDescription: "an early /stream refuses a prompt by the silence of an idle agent",
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
      testDescription: "where a server reports refusals, a prompt that nothing comes of is unknown",
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
      testDescription: "where two prompt at once, the one that lost is told by the other's words",
      isNew: false,
      steps: [opened] + taken + [
        .message(Messages.error("Agent is already processing. Wait.", sequence: 1)),
        .message(Messages.agentStart(2)), .message(Messages.user("another", 3)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .refused(.busy)
    ),
    Story(
      testDescription: "another's words alone do not say that a prompt was lost",
      isNew: false,
      steps: [opened] + taken + [
        .message(Messages.agentStart(1)), .message(Messages.user("another", 2)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.accepted)
    ),
    Story(
      testDescription: "what was heard of the turn before is not of this one",
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
      testDescription: "where two prompt at once, the one that won is told by its own words",
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
