// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The examples that pass on input: commits, mail, repositories, jobs.
@Suite(.fewAtOnce) struct ExamplePipeTests {
  @Test(
    "a commit does not wait, its branch is passed as a value, and a failure is reported",
    .needs("git")
  )
  func gitHook() async throws {
    let (home, server) = try await ExamplesTests.start("git-hook")
    try home.write(
      "[user]\nname = x\nemail = x@example.org\n[init]\ndefaultBranch = main\n",
      to: ".gitconfig"
    )
    try ExamplesTests.install("git-hook/post-commit", to: "hook", in: home)
    let branch = "a`touch${IFS}pwned`;b"
    let first = try await home.shell(
      """
      git init -q code && cd code && git checkout -q -b '\(branch)'
      install -m755 ../hook "$(git rev-parse --git-path hooks)/post-commit"
      echo one >file && git add file && git commit -q -m one && echo committed
      \(Home.until("grep -q 'status 0$' .git/oppi.log 2>/dev/null"))
      """
    )
    #expect(first.status == 0 && first.output == "committed\n" && first.errors.isEmpty, "\(first)")
    let text = try #require(server.texts.first ?? nil)
    #expect(text.hasPrefix("review this commit on \(branch): commit "), "\(text)")
    #expect(text.contains("+one") && server.texts.count == 1)
    let failing = try await home.shell(
      """
      cd code && rm ../.config/oppi/shortcuts/review.json
      git commit -q --allow-empty -m two
      \(Home.until("grep -q 'status 66$' .git/oppi.log"))
      git commit -q --allow-empty -m three; echo $?
      """
    )
    #expect(failing.output == "0\n", "\(failing)")
    #expect(failing.errors.contains(/oppi: commit [0-9a-f]{40}: status 66/), "\(failing)")
    #expect(!FileManager.default.fileExists(atPath: home.folder.appending(path: "code/pwned").path))
  }

  private static let mail = """
    From: somebody@example.org
    To: me+WORD@example.org
    Received: by x
     with y
    Message-ID: <1@example.org>
    Subject: hello

    look at `this`
    """

  @Test("a mail is sent once, a failure is 75, and a reused Message-ID is 65")
  func mail() async throws {
    let (home, server) = try await ExamplesTests.start("mail")
    let script = try ExamplesTests.install("mail/oppi-mail", in: home)
    for _ in 0..<2 {
      let outcome = try await home.run([script], input: Self.mail)
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    }
    // The script keeps no header field that differs for each delivery.
    let kept = Self.mail.replacing(
      "Received: by x\n with y\nMessage-ID: <1@example.org>\n",
      with: ""
    )
    #expect(server.texts == ["a mail arrived: \(kept)\n"])
    // A reused Message-ID with another text.
    let other = try await home.run([script], input: Self.mail + "!")
    #expect(other.status == 65, "\(other)")
    _ = try await home.shell("rm .config/oppi/shortcuts/mail.json")
    let failed = try await home.run([script], input: Self.mail)
    #expect(failed.status == 75 && failed.errors.contains("no shortcut 'mail'"), "\(failed)")
    let forward = try ExamplesTests.text("mail/forward")
    #expect(forward == "\"|HOME/.local/bin/oppi-mail\"\n")
  }

  @Test(
    "maildrop delivers addressed mail, and keeps it on failure",
    .needs("maildrop")
  )
  func maildrop() async throws {
    let (home, server) = try await ExamplesTests.start("mail")
    try ExamplesTests.install("mail/oppi-mail", in: home)
    try home.write(
      "DEFAULT=\"\(home.folder.path)/inbox\"\nHOME=\"\(home.folder.path)\"\n"
        + ExamplesTests.text("mail/mailfilter"),
      to: "filter"
    )
    _ = try await home.shell("chmod 600 filter")
    let maildrop = ["/usr/bin/maildrop", "./filter"]
    let taken = try await home.run(maildrop, input: Self.mail)
    #expect(taken.status == 0, "\(taken)")
    #expect(server.texts.count == 1)
    let other = try await home.run(maildrop, input: Self.mail.replacing("+WORD", with: ""))
    #expect(other.status == 0 && server.texts.count == 1, "\(other)")
    let inbox = try await home.shell("cat inbox; rm .config/oppi/shortcuts/mail.json")
    #expect(inbox.output.contains("Subject: hello"), "\(inbox)")
    let kept = try await home.run(maildrop, input: Self.mail)
    #expect(kept.status == 75, "\(kept)")
  }

  @Test("the script sends one prompt per repository and reports those without a workspace")
  func eachRepository() async throws {
    let (home, server) = try await ExamplesTests.start("each-repository")
    for repository in ["api", "webapp", "unknown"] {
      try home.write("", to: "code/\(repository)/.git/HEAD")
    }
    try home.write("", to: "code/no-repository/file")
    let script = try ExamplesTests.install("each-repository/oppi-each-repository", in: home)
    let outcome = try await home.run([script, "code", "update"])
    #expect(outcome.status == 66, "\(outcome)")
    #expect(outcome.outputLines.map { $0.prefix { $0 != "\t" } } == ["api", "webapp"])
    #expect(outcome.errors.contains("unknown: failed (status 66)"))
    #expect(server.texts == ["update the dependencies", "update the dependencies"])
  }

  /// Whether the system's Python has a YAML module.
  private static let hasYAML =
    has("python3") && FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/yaml")

  @Test(
    "the job's step ends as the turn ends, and a branch's name is not executed",
    .enabled(if: hasYAML && has("git"), "needs python3-yaml")
  )
  func ci() async throws {
    let (home, server) = try await ExamplesTests.start("ci")
    try home.write(try ExamplesTests.example("ci/oppi.yml"), to: "oppi.yml")
    let step = try await home.shell(
      """
      /usr/bin/python3 -c 'import yaml; s = yaml.safe_load(open("oppi.yml"))["jobs"]["review"]["steps"][-1]
      assert s["shell"] == "bash" and "${{" not in s["run"], s
      print(s["run"])' >step.sh
      git init -q code && cd code && git config user.name x && git config user.email x@example.org
      git commit -q --allow-empty -m 'fine words'
      """
    )
    try #require(step.status == 0, "\(step)")
    // The runner starts a bash step with these options.
    let run = """
      cd code && GITHUB_STEP_SUMMARY=../summary BRANCH='$(touch pwned)' \
      bash --noprofile --norc -eo pipefail ../step.sh
      """
    let fine = try await home.shell(run)
    #expect(fine.status == 0, "\(fine)")
    #expect(server.texts.first??.contains("on $(touch pwned): commit") == true)
    let summary = try await home.shell("cat summary; ls code")
    #expect(!summary.output.isEmpty && !summary.output.contains("pwned"), "\(summary)")
    let waiting = try await home.shell(
      "cd code && git commit -q --allow-empty -m 'deploy it'; cd ..; \(run)"
    )
    #expect(waiting.status == 3, "\(waiting)")
    let noRepository = try await home.shell("rm -rf code/.git; \(run)")
    #expect(noRepository.status != 0, "\(noRepository)")
  }

  @Test(
    "the CronJob's Secret provides what the job needs",
    .enabled(if: hasYAML, "needs python3-yaml")
  )
  func kubernetes() async throws {
    let (home, server) = try await ExamplesTests.start("kubernetes")
    try home.write(try ExamplesTests.text("kubernetes/cronjob.yaml"), to: "cronjob.yaml")
    try home.write(try ExamplesTests.typed("kubernetes").joined(separator: "\n"), to: "typed")
    // Kubernetes mounts a Secret as links to a dated folder, and fsGroup sets the modes.
    let outcome = try await home.shell(
      #"""
      jq() { /usr/bin/python3 -c 'import json; print(*json.load(open("'"$3"'"))["tokens"].values(), end="")'; }
      eval "$(grep '^jq ' typed)"
      /usr/bin/python3 - >job.sh <<'PY'
      import os, re, shlex, shutil, yaml
      pod = yaml.safe_load(open("cronjob.yaml"))["spec"]["jobTemplate"]["spec"]["template"]["spec"]
      home = os.environ["HOME"]
      given = {os.path.basename(p): p.replace("$HOME", home) for p in re.findall(r"--from-file=(\S+)", open("typed").read())}
      container, volumes = pod["containers"][0], {v["name"]: v for v in pod["volumes"]}
      root = home + "/pod"
      for mount in container["volumeMounts"]:
          place = root + mount["mountPath"]
          os.makedirs(place + "/..day")
          for item in volumes[mount["name"]].get("secret", {}).get("items", []):
              path = place + "/..day/" + item["path"]
              os.makedirs(os.path.dirname(path), exist_ok=True)
              shutil.copy(given[item["key"]], path)
              os.chmod(path, 0o440)
              top = item["path"].split("/")[0]
              if not os.path.lexists(place + "/..data"): os.symlink("..day", place + "/..data")
              if not os.path.lexists(place + "/" + top): os.symlink("..data/" + top, place + "/" + top)
          if mount.get("readOnly"): os.chmod(place, 0o1777)
      words = ["env", "-i"] + [e["name"] + "=" + root + e["value"] for e in container["env"]]
      print(shlex.join(words + ["OPPI"] + container["args"]))
      PY
      sed -i "s|OPPI|$(command -v oppi)|" job.sh
      rm -r .config/oppi .local/state/oppi .cache/oppi
      sh job.sh
      """#
    )
    #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(outcome)")
    #expect(server.texts == ["what was done yesterday?"])
    let image = try ExamplesTests.text("kubernetes/Containerfile")
    #expect(image.contains("ENTRYPOINT [\"\(ExamplesTests.placeholder)\"]"))
  }

  @Test("a menu runs the selected shortcut, and a cancelled menu does nothing")
  func menus() async throws {
    let (home, server) = try await ExamplesTests.start("pickers")
    _ = try await home.oppi("shortcuts", "add", "standup", "-w", "api", "stand up")
    try ExamplesTests.install("pickers/oppi-run-menu", in: home)
    try ExamplesTests.install("pickers/oppi-ask-menu", in: home)
    let menu = "export PATH=$HOME/.local/bin:$PATH;"
    let chosen = try await home.shell("\(menu) oppi-run-menu grep standup")
    #expect(chosen.status == 0, "\(chosen)")
    let typed = try await home.shell(
      "\(menu) oppi-ask-menu printf '%s\\n' '-n `touch pwned` $HOME'"
    )
    #expect(typed.status == 0, "\(typed)")
    for left in ["oppi-run-menu false", "oppi-run-menu true", "oppi-ask-menu false"] {
      let outcome = try await home.shell("\(menu) \(left)")
      #expect(outcome.status == 0 && outcome.errors.isEmpty && outcome.output.isEmpty, "\(outcome)")
    }
    let unknown = try await home.shell("\(menu) oppi-run-menu echo nothing")
    #expect(unknown.status == 66, "\(unknown)")
    #expect(server.texts == ["stand up", "-n `touch pwned` $HOME"])
  }
}
