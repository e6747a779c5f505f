// SPDX-License-Identifier: MIT

import OppiText

/// The worst that a tool call may do, judging by its text: advice for sorting and wording, never a
/// decision.
///
/// It depends only on tool, input and reason. A command can hide its effect, so a low risk
/// guarantees nothing.
package enum Risk: Int, Sendable, Comparable, CaseIterable {
  /// Reads data.
  case read
  /// Changes data, or runs an unknown program.
  case write
  /// Sends data elsewhere.
  case exfiltration
  /// Removes data, possibly permanently.
  case destructive
  /// Exceeds the task: other privileges, secrets, remote code, the system.
  case high

  /// Whether it may do permanent harm.
  package var isHigh: Bool { self >= .destructive }

  /// The word in JSON and in pipes.
  package var word: String {
    switch self {
    case .read: "read"
    case .write: "write"
    case .exfiltration: "exfiltration"
    case .destructive: "destructive"
    case .high: "high"
    }
  }

  package static func < (first: Risk, second: Risk) -> Bool { first.rawValue < second.rawValue }

  /// Judges a complete call; the request limits its length.
  init(tool: String, input: JSONValue, reason: String) {
    self = max(Self.ofTool(tool, input), Self.ofReason(reason))
  }

  private static func ofTool(_ tool: String, _ input: JSONValue) -> Risk {
    switch tool {
    case "bash": ofCommand(input["command"].text(.content) ?? "")
    case "read", "ls", "grep", "find", "todo", "ask", "web_search", "web_fetch": read
    case "write", "edit": ShellRisk.isSensitive(input["path"].text(.content) ?? "") ? high : write
    case _ where tool.hasPrefix("policy."): high
    default: write
    }
  }

  /// Hidden characters in a command are meant to deceive.
  private static func ofCommand(_ command: String) -> Risk {
    RevealedText(command).escapeCount > 0 ? high : ShellRisk.of(command)
  }

  /// A server's reason names the rule that the call matched.
  private static func ofReason(_ reason: String) -> Risk {
    let reason = LowercasedText(reason)
    return reasons.first { words, _ in reason.contains(anyOf: words) }?.risk ?? read
  }

  /// Highest risk first: the first match counts.
  private static let reasons: [(words: [String], risk: Risk)] = [
    (["sudo", "credential", "secret", "private key", "policy", "to shell", "to a shell"], high),
    (["delete", "destroy", "force", "wipe", "drop "], destructive),
    (["push", "publish", "upload", "ssh", "scp", "transfer"], exfiltration),
  ]
}

/// Classifies a shell command line by the programs that it runs.
enum ShellRisk {
  /// The highest risk of all programs in a command line.
  static func of(_ command: String) -> Risk {
    guard command.utf8.count <= limit else { return .high }
    let parts = parts(of: command)
    let gravest = parts.map(of).max() ?? .write
    return runsInput(parts) || isSensitive(command) ? .high : gravest
  }

  /// In bytes; a longer command counts as high risk.
  private static let limit = 128 << 10

  /// A carried command with more words counts as high risk.
  private static let carriedWordLimit = 100

  /// Whether a path or a command refers to secrets or to access rights.
  static func isSensitive(_ text: String) -> Bool {
    LowercasedText(text).contains(anyOf: sensitive)
  }

  private static let sensitive = [
    ".ssh/", "id_rsa", "id_ed25519", ".gnupg", ".aws/", ".kube/config", ".netrc", ".pgpass",
    "/etc/shadow", "/etc/passwd", "/etc/sudoers", "credentials.json", ".env ", ".env\n",
    "authorized_keys", ".git-credentials", "/dev/sd", "/dev/nvme", ".bashrc", ".profile", ".zshrc",
  ]

  // MARK: - Words

  /// One program with its arguments; `isFed` if it reads the previous program's output.
  private struct Part {
    var words: [String] = []
    var isFed = false
    var writesFile = false
    /// Whether the program is only known when it runs, as with `$PROGRAM`.
    var isComputed = false
  }

  /// The programs of a command line, split wherever a shell may start another one; quotes do not
  /// join words, because their content may be run too.
  private static func parts(of command: String) -> [Part] {
    var parts = [Part()]
    var word = ""
    func end() {
      if !word.isEmpty { parts[parts.count - 1].words.append(word) }
      word = ""
    }
    for scalar in command.unicodeScalars {
      switch scalar {
      case " ", "\t", "\"", "'", "{", "}", "\\": end()
      case ";", "&", "|", "\n", "(", ")", "`", "$":
        end()
        // A variable at the start is the program; elsewhere it is an argument.
        if scalar == "$" || scalar == "`", parts[parts.count - 1].words.isEmpty {
          parts[parts.count - 1].isComputed = true
        }
        parts.append(Part(isFed: scalar == "|"))
      case ">":
        end()
        parts[parts.count - 1].writesFile = true
      default: word.unicodeScalars.append(scalar)
      }
    }
    end()
    return parts.filter { !$0.words.isEmpty || $0.isComputed }
  }

  /// Whether the command runs code that it downloads, or that another program writes.
  private static func runsInput(_ parts: [Part]) -> Bool {
    let hasFetched = parts.contains { ["curl", "wget"].contains(program(of: $0).name) }
    return parts.lazy.filter(\.isFed).map(program).contains { name, arguments, _ in
      let reads = arguments.contains("-s") || arguments.allSatisfy { $0.hasPrefix("-") }
      return interpreters.contains(name) && (hasFetched || reads)
    }
  }

  private static let shells: Set = ["sh", "bash", "zsh", "dash", "ksh", "fish"]
  private static let interpreters = shells.union(["python", "python3", "node", "perl", "ruby"])

  // MARK: - Programs

  private static func of(_ part: Part) -> Risk {
    if part.isComputed { return .high }
    let (name, arguments, isCarried) = program(of: part)
    var risk = known(name, arguments)
    if isCarried {
      guard arguments.count <= carriedWordLimit else { return .high }
      // The end of the carrier's own arguments is unknown: any later word may be the program.
      let others = arguments.indices.map { known(base(arguments[$0]), arguments[($0 + 1)...]) }
      risk = max(risk, others.filter { $0 > .write }.max() ?? .read)
    }
    guard part.writesFile else { return risk }
    return part.words.contains { word in system.contains { word.hasPrefix($0) } }
      ? .high : max(risk, .write)
  }

  /// Writing to these paths changes the system.
  private static let system = [
    "/etc/", "/usr/", "/boot/", "/bin/", "/sbin/", "/lib", "/var/spool/",
  ]

  private static func base(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// The program after assignments and after programs that run another one.
  private static func program(
    of part: Part
  ) -> (name: String, arguments: ArraySlice<String>, isCarried: Bool) {
    var words = part.words[...]
    var isCarried = false
    while let word = words.first {
      if word.contains("=") {
        words = words.dropFirst()
      } else if carriers.contains(base(word)) || isShell(word, with: words.dropFirst().first) {
        isCarried = true
        words = words.dropFirst().drop { $0.hasPrefix("-") || $0.first?.isNumber == true }
      } else {
        break
      }
    }
    return (base(words.first ?? ""), words.dropFirst(), isCarried)
  }

  /// Whether a shell gets a command line, as in `bash -lc`.
  private static func isShell(_ word: String, with option: String?) -> Bool {
    guard shells.contains(base(word)) else { return false }
    return option.map { $0.hasPrefix("-") && $0.contains("c") } ?? false
  }

  private static let carriers: Set = [
    "env", "nohup", "time", "xargs", "exec", "command", "nice", "timeout", "if", "then", "do",
    "else", "while", "!", "setsid", "stdbuf", "ionice", "chrt", "taskset", "flock", "watch",
    "parallel", "chroot", "unshare", "builtin", "busybox",
  ]

  private static func known(_ name: String, _ arguments: ArraySlice<String>) -> Risk {
    if high.contains(name) { return .high }
    if destructive.contains(name) { return .destructive }
    if sending.contains(name) { return .exfiltration }
    switch name {
    case _ where evaluating.contains(name):
      // Code in the command line is not analysed.
      return arguments.contains(where: isCode) ? .high : .write
    case "chmod":
      return arguments.contains { $0.hasPrefix("-") && $0.contains("R") } ? .high : .write
    case "rm": return arguments.contains { $0.hasPrefix("-") } ? .destructive : .write
    case "git": return git(arguments)
    case "find":
      let acts = ["-delete", "-exec", "-execdir", "-ok"]
      return arguments.contains(where: acts.contains) ? .destructive : .read
    case "sed": return .write
    case "curl", "wget":
      return arguments.contains(where: isUpload) ? .exfiltration : .read
    case _ where managing.contains(name): return manager(arguments)
    default: return reading.contains(name) ? .read : .write
    }
  }

  private static func git(_ arguments: ArraySlice<String>) -> Risk {
    var words = arguments
    while let word = words.first, word.hasPrefix("-") {
      words = words.dropFirst(["-C", "-c", "--git-dir", "--work-tree"].contains(word) ? 2 : 1)
    }
    let verb = words.first ?? ""
    let isForced = words.dropFirst().contains { word in
      ["-f", "--hard", "-D", "--mirror", "-d", "--delete", "--prune"].contains(word)
        || word.hasPrefix("--force") || word.hasPrefix("+") || word.hasPrefix(":")
    }
    switch verb {
    case "push": return isForced ? .destructive : .exfiltration
    case "clean": return .destructive
    case "status", "log", "diff", "show", "blame", "grep", "rev-parse", "ls-files": return .read
    default: return isForced ? .destructive : .write
    }
  }

  private static func manager(_ arguments: ArraySlice<String>) -> Risk {
    let words = Set(arguments)
    if !words.isDisjoint(with: ["delete", "destroy", "rm", "prune", "terminate"]) {
      return .destructive
    }
    return words.isDisjoint(with: ["push", "publish", "upload", "cp", "sync", "create"])
      ? .write : .exfiltration
  }

  /// Whether an interpreter's option contains code, such as `-c`, `-pe` or `--eval`.
  private static func isCode(_ argument: String) -> Bool {
    guard argument.hasPrefix("-") else { return false }
    return argument == "-" || argument.hasPrefix("--eval") || argument.hasPrefix("--print")
      || !argument.hasPrefix("--") && argument.contains { "cerp".contains($0) }
  }

  private static func isUpload(_ argument: String) -> Bool {
    let options = ["-d", "-F", "-T", "--data", "--form", "--upload-file", "--post", "--body", "-X"]
    return options.contains { argument.hasPrefix($0) }
  }

  private static let high: Set = [
    "sudo", "su", "doas", "pkexec", "eval", "mkfs", "fdisk", "iptables", "nft", "systemctl",
    "reboot", "shutdown", "crontab", "at", "mount", "umount", "useradd", "usermod", "passwd",
    "visudo", "insmod", "modprobe", "chown", "setcap",
  ]

  private static let destructive: Set = [
    "shred", "dd", "truncate", "rmdir", "kill", "pkill", "killall", "wipefs", "dropdb",
  ]

  private static let sending: Set = [
    "scp", "ssh", "rsync", "sftp", "ftp", "nc", "ncat", "netcat", "socat", "telnet", "mail",
    "sendmail", "rclone",
  ]

  private static let evaluating: Set = [
    "python", "python3", "node", "perl", "ruby", "php", "lua", "osascript",
  ]

  private static let managing: Set = [
    "docker", "podman", "kubectl", "terraform", "npm", "yarn", "pnpm", "cargo", "twine", "gh",
    "aws", "gcloud",
  ]

  private static let reading: Set = [
    "ls", "cat", "head", "tail", "less", "grep", "rg", "wc", "sort", "uniq", "cut", "tr", "echo",
    "printf", "pwd", "cd", "date", "whoami", "id", "uname", "hostname", "which", "file", "stat",
    "du", "df", "ps", "tree", "diff", "cmp", "jq", "true", "false", "test", "basename", "dirname",
    "realpath", "sha256sum", "md5sum", "seq", "sleep", "fi", "done", "fd",
  ]
}

/// Commands in the text of a dialog, which is mostly prose.
extension ShellRisk {
  private static let programs = high.union(destructive).union(sending).union(reading)
    .union(evaluating).union(managing).union(shells)
    .union(["chmod", "rm", "git", "find", "sed", "curl", "wget"])

  /// The programs whose names are words of prose.
  private static let proseWords: Set = [
    "at", "mount", "kill", "mail", "node", "ruby", "shred", "truncate", "shutdown", "reboot",
    "fish", "dash", "find", "cat", "head", "tail", "less", "sort", "cut", "echo", "date", "id",
    "which", "file", "stat", "tree", "diff", "true", "false", "test", "sleep", "done", "cargo",
  ]

  /// Words that are in most sentences and in few commands.
  private static let functionWords: Set = [
    "a", "an", "and", "are", "be", "by", "can", "for", "from", "has", "in", "is", "it", "may",
    "not", "of", "on", "or", "that", "the", "this", "to", "was", "will", "with", "your",
  ]

  /// The highest risk of what cannot be prose in a line; `nil` if there is none.
  static func certain(in line: String) -> Risk? {
    let parts = parts(of: line)
    let found = parts.enumerated().compactMap { command(in: $0.element, isFirst: $0.offset == 0) }
    guard let gravest = found.map(of).max() else { return nil }
    return runsInput(parts) || isSensitive(line) ? .high : gravest
  }

  /// The risk of a code span; `nil` for a single word that may name something else than a program.
  static func ofSpan(_ text: String) -> Risk? {
    let words = text.split(separator: " ")
    guard let first = words.first else { return nil }
    return words.count > 1 || isProgramOnly(String(first)) ? of(text) : nil
  }

  /// The part from its program on, which options or paths follow; without them, only the first part
  /// of a line is a command, and only if it cannot be a sentence.
  private static func command(in part: Part, isFirst: Bool) -> Part? {
    let (name, arguments, _) = program(of: part)
    if programs.contains(name) {
      if arguments.contains(where: isOptionOrPath) { return part }
      let isSentence = !functionWords.isDisjoint(with: arguments.map { $0.lowercased() })
      if isFirst, !isSentence, !proseWords.contains(name) { return part }
    }
    guard let end = part.words.lastIndex(where: isOptionOrPath),
      let start = part.words[..<end].firstIndex(where: isProgramOnly)
    else { return nil }
    return Part(words: Array(part.words[start...]), isFed: part.isFed, writesFile: part.writesFile)
  }

  /// Whether a word names a known program and is no word of prose.
  private static func isProgramOnly(_ word: String) -> Bool {
    programs.contains(word) && !proseWords.contains(word)
  }

  private static func isOptionOrPath(_ word: String) -> Bool {
    if word.hasPrefix("-") { return word.dropFirst().contains { $0.isLetter || $0.isNumber } }
    return ["/", "./", "../", "~"].contains { word.hasPrefix($0) }
  }
}
