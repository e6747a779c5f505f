// SPDX-License-Identifier: MIT

/// What the programs of a shell's command line are known for.
enum ShellRisk {
  /// The gravest of what a command line runs.
  static func of(_ command: String) -> Risk {
    guard command.utf8.count <= limit else { return .high }
    let parts = parts(of: command)
    let gravest = parts.map(of).max() ?? .write
    return fetchesCode(parts) || isSensitive(command) ? .high : gravest
  }

  /// What is longer cannot be allowed, and is not judged.
  private static let limit = 128 << 10

  /// Whether a path, or a command, is about secrets or about who may do what.
  static func isSensitive(_ text: String) -> Bool {
    let text = text.lowercased()
    return sensitive.contains { text.contains($0) }
  }

  private static let sensitive = [
    ".ssh/", "id_rsa", "id_ed25519", ".gnupg", ".aws/", ".kube/config", ".netrc", ".pgpass",
    "/etc/shadow", "/etc/passwd", "/etc/sudoers", "credentials.json", ".env ", ".env\n",
    "authorized_keys", ".git-credentials", "/dev/sd", "/dev/nvme", ".bashrc", ".profile", ".zshrc",
  ]

  // MARK: - Words

  /// One program with its arguments, and whether it gets the output of the one before.
  private struct Part {
    var words: [String] = []
    var isFed = false
    var writesFile = false
  }

  /// The programs of a command line, cut where a shell may begin another one; quotes do not hold
  /// them together, as what they hold may be run as well.
  private static func parts(of command: String) -> [Part] {
    var parts = [Part()]
    var word = ""
    func end() {
      if !word.isEmpty { parts[parts.count - 1].words.append(word) }
      word = ""
    }
    for character in command {
      switch character {
      case " ", "\t", "\"", "'", "{", "}", "\\": end()
      case ";", "&", "|", "\n", "(", ")", "`", "$":
        end()
        parts.append(Part(isFed: character == "|"))
      case ">":
        end()
        parts[parts.count - 1].writesFile = true
      default: word.append(character)
      }
    }
    end()
    return parts.filter { !$0.words.isEmpty }
  }

  /// Whether what comes from elsewhere is run.
  private static func fetchesCode(_ parts: [Part]) -> Bool {
    let hasFetched = parts.contains { ["curl", "wget"].contains(program(of: $0).name) }
    return hasFetched && parts.contains { $0.isFed && shells.contains(program(of: $0).name) }
  }

  private static let shells: Set = [
    "sh", "bash", "zsh", "dash", "python", "python3", "node", "perl",
  ]

  // MARK: - Programs

  private static func of(_ part: Part) -> Risk {
    let (name, arguments) = program(of: part)
    let risk = known(name, arguments)
    return part.writesFile ? max(risk, .write) : risk
  }

  /// The program behind assignments and behind programs that run another one.
  private static func program(of part: Part) -> (name: String, arguments: ArraySlice<String>) {
    var words = part.words[...]
    while let word = words.first {
      if word.contains("=") || carriers.contains(word) {
        words = words.dropFirst()
      } else if shells.contains(word), words.dropFirst().first == "-c" {
        words = words.dropFirst(2)
      } else {
        break
      }
    }
    let path = words.first ?? ""
    return (path.split(separator: "/").last.map(String.init) ?? path, words.dropFirst())
  }

  private static let carriers: Set = [
    "env", "nohup", "time", "xargs", "exec", "command", "nice", "timeout", "if", "then", "do",
    "else", "while", "!",
  ]

  private static func known(_ name: String, _ arguments: ArraySlice<String>) -> Risk {
    if high.contains(name) { return .high }
    if destructive.contains(name) { return .destructive }
    if sending.contains(name) { return .exfiltration }
    switch name {
    case "rm": return arguments.contains { $0.hasPrefix("-") } ? .destructive : .write
    case "git": return git(arguments)
    case "find":
      let acts = ["-delete", "-exec", "-execdir", "-ok"]
      return arguments.contains(where: acts.contains) ? .destructive : .read
    case "sed", "perl": return .write
    case "curl", "wget":
      return arguments.contains(where: isUpload) ? .exfiltration : .read
    case "docker", "podman", "kubectl", "terraform", "npm", "yarn", "pnpm", "cargo", "twine", "gh",
      "aws", "gcloud":
      return manager(arguments)
    default: return reading.contains(name) ? .read : .write
    }
  }

  private static func git(_ arguments: ArraySlice<String>) -> Risk {
    let verb = arguments.first { !$0.hasPrefix("-") } ?? ""
    let isForced = arguments.contains {
      ["--force", "-f", "--hard", "-D", "--mirror"].contains($0)
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

  private static let reading: Set = [
    "ls", "cat", "head", "tail", "less", "grep", "rg", "wc", "sort", "uniq", "cut", "tr", "echo",
    "printf", "pwd", "cd", "date", "whoami", "id", "uname", "hostname", "which", "file", "stat",
    "du", "df", "ps", "tree", "diff", "cmp", "jq", "true", "false", "test", "basename", "dirname",
    "realpath", "sha256sum", "md5sum", "seq", "sleep", "fi", "done", "fd",
  ]
}
