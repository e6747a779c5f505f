// SPDX-License-Identifier: MIT

import LoopbackServer
import OppiModel
import Simulation
import Testing

/// The check of a model's name before anything is sent.
@Suite struct AskModelTests {
  private static let sonnet = "anthropic/claude-sonnet-4-6"

  @Test(
    "ask refuses a model that the server does not offer, and names the closest one",
    arguments: PairedServer.Dialect.both
  )
  func refuses(dialect: PairedServer.Dialect) {
    inWorld(dialect) { world, server in
      for (name, meant) in [
        ("gpt5", "openai-codex/gpt-5.3-codex"), ("claude-sonet-4-6", Self.sonnet),
        ("anthropic/claude-sonnet-4-5", Self.sonnet), ("GLM-5", "openrouter/z.ai/glm-5"),
        ("opus", "anthropic/claude-opus-4-6"),
        // Without its provider a server replaces it, too.
        ("claude-opus-4-6", "anthropic/claude-opus-4-6"),
      ] {
        let outcome = await world.oppi("ask", "-w", "demo", "-m", name, "--json", "hi")
        #expect(outcome.status == 66 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.error["code"] == "no-such-model", "\(outcome)")
        let message = "studio has no model '\(name)' (from --model)"
        #expect(outcome.error["message"].string == message, "\(outcome)")
        let hint = outcome.error["hints"].array?.first?.string
        #expect(hint?.contains("'\(meant)'") == true, "\(outcome)")
      }
      for words in [["--wait"], ["--follow"], ["--queue"], ["--key", "k"]] {
        let outcome = await world.oppi(["ask", "-w", "demo", "-m", "gpt5", "hi"] + words)
        #expect(outcome.status == 66 && outcome.output.isEmpty, "\(outcome)")
      }
      #expect(server.sessionsMade == 0 && server.heard.isEmpty)
      let kept = await world.oppi("outbox", "list", "--json")
      #expect(kept.json["prompts"] == [], "\(kept)")
    }
  }

  @Test("the list is asked for once, and again only for a model that it lacks")
  func remembers() {
    inWorld { world, server in
      var asked: Int { server.requests.count { $0.path == "/models" } }
      for _ in 0..<3 {
        let outcome = await world.oppi("ask", "-w", "demo", "-m", Self.sonnet, "--json", "hi")
        #expect(outcome.status == 0 && outcome.json["model"].string == Self.sonnet, "\(outcome)")
      }
      #expect(asked == 1)
      _ = await world.oppi("ask", "-w", "demo", "-m", "gpt5", "hi")
      #expect(asked == 2)
      _ = await world.oppi("ask", "-w", "demo", "hi")
      #expect(asked == 2)
      #expect(server.heard == ["hi", "hi", "hi", "hi"])
    }
  }

  @Test("a model that was listed and is gone is reported, and refused from then on")
  func outdated() {
    let trouble = Trouble()
    inWorld {
      $0.interceptor = trouble.interceptor
    } _: { world, server in
      trouble.begin {
        $0.isRequest("/models") ? .answer(json: ["models": [["id": "acme/big-1"]]]) : .proceed
      }
      _ = await world.oppi("models")
      trouble.end()
      let outcome = await world.oppi("ask", "-w", "demo", "-m", "acme/big-1", "--json", "hi")
      let took = try #require(outcome.json["model"].string, "\(outcome)")
      #expect(outcome.status == 0 && took != "acme/big-1", "\(outcome)")
      #expect(outcome.json["requestedModel"] == "acme/big-1", "\(outcome)")
      #expect(outcome.errorLines.count == 1, "\(outcome)")
      #expect(outcome.errors.contains("acme/big-1") && outcome.errors.contains(took), "\(outcome)")
      let again = await world.oppi("ask", "-w", "demo", "-m", "acme/big-1", "hi")
      #expect(again.status == 66 && again.output.isEmpty, "\(again)")
      #expect(server.heard == ["hi"])
    }
  }

  @Test(
    "a prompt is sent where the server has no list of models",
    arguments: [.answer(status: 404, error: "Not found"), .answer(json: ["models": []])]
      as [Intervention]
  )
  func noList(answer: Intervention) {
    let trouble = Trouble()
    inWorld {
      $0.interceptor = trouble.interceptor
    } _: { world, server in
      trouble.begin { $0.isRequest("/models") ? answer : .proceed }
      let outcome = await world.oppi("ask", "-w", "demo", "-m", Self.sonnet, "--json", "hi")
      #expect(outcome.status == 0 && outcome.json["model"].string == Self.sonnet, "\(outcome)")
    }
  }

  @Test("a list that fails sends nothing, and keeps a prompt with --queue")
  func failingList() {
    let trouble = Trouble()
    inWorld {
      $0.interceptor = trouble.interceptor
    } _: { world, server in
      trouble.begin {
        $0.isRequest("/models") ? .answer(status: 500, error: "busy") : .proceed
      }
      let outcome = await world.oppi("ask", "-w", "demo", "-m", Self.sonnet, "one")
      #expect(outcome.status == 69, "\(outcome)")
      let kept = await world.oppi("ask", "--queue", "-w", "demo", "-m", Self.sonnet, "two")
      #expect(kept.status == 0, "\(kept)")
      #expect(server.sessionsMade == 0)
      trouble.end()
      let flushed = await world.oppi("outbox", "flush")
      #expect(flushed.status == 0, "\(flushed)")
      try await world.pass()
      #expect(server.heard == ["two"])
    }
  }

  @Test("a queued prompt whose model is refused at delivery is reported and kept as failed")
  func queued() {
    inWorld { world, server in
      await world.lose(server)
      for (model, prompt) in [("gpt5", "one"), (Self.sonnet, "two")] {
        let kept = await world.oppi("ask", "--queue", "-w", "studio/demo", "-m", model, prompt)
        #expect(kept.status == 0, "\(kept)")
      }
      try server.start()
      let flushed = await world.oppi("outbox", "flush", "--json")
      #expect(flushed.output.contains("no-such-model"), "\(flushed)")
      let listed = await world.oppi("outbox", "list", "--json")
      let prompts = listed.json["prompts"].array ?? []
      #expect(prompts.map { $0["state"] } == ["failed"], "\(listed)")
      #expect(prompts.map { $0["prompt"] } == ["one"], "\(listed)")
      try await world.pass()
      #expect(server.heard == ["two"])
    }
  }

  @Test("a shortcut, a setting and a workspace's setting are checked, and named in the error")
  func sources() {
    inWorld { world, server in
      let add = await world.oppi("shortcuts", "add", "review", "-w", "demo", "-m", "gpt5", "hi")
      #expect(add.status == 0, "\(add)")
      let run = await world.oppi("run", "review")
      #expect(run.status == 66, "\(run)")
      #expect(run.errors.contains("no model 'gpt5' (from the shortcut review)"), "\(run)")
      _ = await world.oppi("config", "set", "model", "no/such")
      let ask = await world.oppi("ask", "-w", "demo", "hi")
      #expect(ask.status == 66, "\(ask)")
      #expect(ask.errors.contains("no model 'no/such' (from 'model' in "), "\(ask)")
      _ = await world.oppi("config", "set", "-w", "webapp", "model", "no/other")
      let own = await world.oppi("ask", "-w", "demo", "-w", "webapp", "hi")
      #expect(own.status == 66, "\(own)")
      #expect(own.errors.contains("studio/webapp: studio has no model 'no/other' (from "), "\(own)")
      #expect(server.sessionsMade == 0)
    }
  }
}
