// SPDX-License-Identifier: MIT

import FakeServer
import OppiHost
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// The check of a model name before a prompt is sent.
@Suite struct AskModelTests {
  private static let sonnet = "anthropic/claude-sonnet-4-6"

  @Test(
    "ask rejects a model that the server does not offer, and suggests the closest model",
    arguments: Dialect.all
  )
  func refuses(dialect: Dialect) {
    inWorld(dialect) { world, server in
      for (name, meant) in [
        ("gpt5", "openai-codex/gpt-5.3-codex"), ("claude-sonet-4-6", Self.sonnet),
        ("anthropic/claude-sonnet-4-5", Self.sonnet), ("GLM-5", "openrouter/z.ai/glm-5"),
        ("opus", "anthropic/claude-opus-4-6"),
        // A server also replaces a model that is given without its provider.
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
      for words in [["--wait"], ["--follow"], ["--queue"], ["--key", "k"], ["--dry-run"]] {
        let outcome = await world.oppi(["ask", "-w", "demo", "-m", "gpt5", "hi"] + words)
        #expect(outcome.status == 66 && outcome.output.isEmpty, "\(outcome)")
      }
      #expect(server.sessionsMade == 0 && server.heard.isEmpty)
      await world.oppi("outbox", "list", "--json") { $0.json["prompts"] == [] }
    }
  }

  @Test("the model list is requested once, and again only for a model that it lacks")
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

  @Test("a listed model that an older server replaces is reported once, and rejected from then on")
  func outdated() {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      trouble.at("/models", .answer(json: ["models": [["id": "acme/big-1"]]]))
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
    "a prompt is sent if the server has no model list",
    arguments: [.answer(status: 404, error: "Not found"), .answer(json: ["models": []])]
      as [Intervention]
  )
  func noList(answer: Intervention) {
    inTroubledWorld { world, server, trouble in
      trouble.at("/models", answer)
      let outcome = await world.oppi("ask", "-w", "demo", "-m", Self.sonnet, "--json", "hi")
      #expect(outcome.status == 0 && outcome.json["model"].string == Self.sonnet, "\(outcome)")
    }
  }

  @Test("if the model list fails, nothing is sent, and --queue keeps the prompt")
  func failingList() {
    inTroubledWorld { world, server, trouble in
      trouble.at("/models", .answer(status: 500, error: "busy"))
      await world.oppi("ask", "-w", "demo", "-m", Self.sonnet, "one", exits: 69)
      await world.oppi("ask", "--queue", "-w", "demo", "-m", Self.sonnet, "two", exits: 0)
      #expect(server.sessionsMade == 0)
      trouble.end()
      await world.oppi("outbox", "flush", exits: 0)
      try await world.pass()
      #expect(server.heard == ["two"])
    }
  }

  @Test("a queued prompt whose model is rejected at delivery is reported and kept as failed")
  func queued() {
    inWorld { world, server in
      await world.lose(server)
      for (model, prompt) in [("gpt5", "one"), (Self.sonnet, "two")] {
        await world.oppi("ask", "--queue", "-w", "studio/demo", "-m", model, prompt, exits: 0)
      }
      try server.start()
      await world.oppi("outbox", "flush", "--json") { $0.output.contains("no-such-model") }
      let listed = await world.oppi("outbox", "list", "--json")
      let prompts = listed.json["prompts"].array ?? []
      #expect(prompts.map { $0["state"] } == ["failed"], "\(listed)")
      #expect(prompts.map { $0["prompt"] } == ["one"], "\(listed)")
      try await world.pass()
      #expect(server.heard == ["two"])
    }
  }

  @Test("a dry run names no model of a workspace of the demo, because its server uses its own")
  func demo() {
    inWorld {
      $0.workspaces = HostConfiguration().workspaces
    } _: { world, server in
      let plan = await world.oppi("ask", "-n", "-w", "webapp", "--json", "hi")
      #expect(plan.status == 0 && plan.json["model"] == .null, "\(plan)")
      let sent = await world.oppi("ask", "-w", "webapp", "--json", "hello")
      #expect(sent.json["model"].string == Model.defaultID, "\(sent)")
    }
  }

  @Test("--dry-run fails if the ask would, and with --queue warns if the model cannot be checked")
  func dryRun() {
    inWorld { world, server in
      let known = await world.oppi("ask", "-n", "-w", "demo", "-m", Self.sonnet, "--json", "hi")
      #expect(known.status == 0 && known.json["state"] == "dry-run", "\(known)")
      let unknown = await world.oppi("ask", "-n", "-w", "demo", "-m", "gpt5", "--json", "hi")
      #expect(unknown.status == 66 && unknown.output.isEmpty, "\(unknown)")
      let message = "studio has no model 'gpt5' (from --model)"
      #expect(unknown.error["message"].string == message, "\(unknown)")
      _ = await world.oppi("config", "set", "-w", "webapp", "model", "gpt5")
      let two = await world.oppi("ask", "-n", "-w", "demo", "-w", "webapp", "--json", "hi")
      #expect(two.status == 66 && two.lines.count == 1, "\(two)")
      #expect(two.errors.contains("studio/webapp: studio has no model 'gpt5'"), "\(two)")
      await server.end(.inOrder)
      // The cached list has the model.
      await world.oppi("ask", "-n", "-w", "demo", "-m", Self.sonnet, "hi", exits: 0)
      let away = await world.oppi("ask", "-n", "-w", "demo", "-m", "gpt5", "hi")
      #expect(away.status == 69 && away.errors.contains("Can't reach studio"), "\(away)")
      let queued = await world.oppi("ask", "-n", "--queue", "-w", "demo", "-m", "gpt5", "hi")
      #expect(queued.status == 0, "\(queued)")
      #expect(queued.errors.contains("could not check the model: Can't reach studio"), "\(queued)")
      #expect(server.sessionsMade == 0)
    }
  }

  @Test("a shortcut's model is checked when it is added, unless its server is unreachable")
  func shortcut() {
    inWorld { world, server in
      for words in [["-w", "demo"], []] {
        let add = await world.oppi(["shortcuts", "add", "x", "-m", "gpt5", "hi"] + words)
        #expect(add.status == 66 && add.errors.contains("'gpt5' (from --model)"), "\(add)")
      }
      #expect(await world.oppi("shortcuts").output.isEmpty)
      let known = await world.oppi("shortcuts", "add", "y", "-w", "demo", "-m", Self.sonnet, "hi")
      #expect(known.status == 0 && known.errorLines.count == 1, "\(known)")
      await server.end(.inOrder)
      let away = await world.oppi("shortcuts", "add", "x", "-w", "demo", "-m", "gpt5", "hi")
      #expect(away.status == 0 && away.errors.contains("could not check the"), "\(away)")
    }
  }

  @Test("config set warns about a model that no server offers, or that cannot be checked")
  func setting() {
    inWorld { world, server in
      for words in [[], ["-w", "webapp"]] {
        let known = await world.oppi(["config", "set", "model", Self.sonnet] + words)
        #expect(known.status == 0 && known.errorLines.count == 1, "\(known)")
        let unknown = await world.oppi(["config", "set", "model", "gpt5"] + words, exits: 0)
        #expect(unknown.errors.contains("studio has no model 'gpt5'"), "\(unknown)")
      }
      await server.end(.inOrder)
      await world.oppi("config", "set", "model", "gpt5", exits: 0, saying: "could not check the")
      await world.oppi("config", "set", "thinking", "high", exits: 0) { $0.errorLines.count == 1 }
    }
    inWorld(isPaired: false) { world, _ in
      await world.oppi("config", "set", "model", "gpt5", exits: 0) { $0.errorLines.count == 1 }
    }
  }

  @Test("one server is enough that offers or may offer a model, or that of the workspace")
  func severalServers() {
    inTroubledWorld { world, server, trouble in
      let office = try await world.addServer(named: "office")
      trouble.at("/models", .answer(json: ["models": [["id": "acme/big-1"]]]))
      let set = ["config", "set", "model", Self.sonnet]
      await world.oppi(set, exits: 0) { $0.errorLines.count == 1 }
      let message = "studio has no model '\(Self.sonnet)'"
      await world.oppi(set + ["-w", "studio/demo"], exits: 0, saying: message)
      await office.end(.killed)
      let unchecked = "could not check the model: Can't reach office"
      await world.oppi("config", "set", "model", "gpt5", exits: 0, saying: unchecked)
    }
  }

  @Test("a model from a shortcut or a setting is checked, and the error names its source")
  func sources() {
    inWorld { world, server in
      world.disk.put(
        Array(#"{"workspace": "demo", "model": "gpt5", "prompt": "hi"}"#.utf8),
        at: "\(World.home)/.config/oppi/shortcuts/review.json"
      )
      let shortcut = "no model 'gpt5' (from the shortcut review)"
      await world.oppi("run", "review", exits: 66, saying: shortcut)
      _ = await world.oppi("config", "set", "model", "no/such")
      let ask = await world.oppi("ask", "-w", "demo", "hi", exits: 66)
      #expect(ask.errors.contains("no model 'no/such' (from 'model' in "), "\(ask)")
      _ = await world.oppi("config", "set", "-w", "webapp", "model", "no/other")
      let source = "no model 'no/other' (from workspaces.\"webapp\".model in "
      await world.oppi("ask", "-w", "demo", "-w", "webapp", "hi", exits: 66, saying: source)
      #expect(server.sessionsMade == 0)
    }
  }
}
